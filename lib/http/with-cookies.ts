import { json } from "./signed-in-route.ts";

/** The answer `{}` with Set-Cookie headers. */
export function withCookies(cookies: readonly string[]): Response {
  const response = json({});
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
