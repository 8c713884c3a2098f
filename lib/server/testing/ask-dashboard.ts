import { scriptToken } from "./start-dashboard.ts";

/** Headers that sign in a request as a script. */
export const scriptHeaders = { authorization: `Bearer ${scriptToken}` };

/** fetch, signed in as a script to a dashboard of this process. */
export function askDashboard(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(scriptHeaders)) headers.set(name, value);
  return fetch(url, { ...init, headers });
}
