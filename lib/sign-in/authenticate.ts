import { type Credentials, ownCredentials } from "#lib/cluster/credentials.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { readEnv } from "#lib/env.ts";
import { modeOf } from "./mode.ts";
import { sameSecret } from "./same-secret.ts";
import { sessionOf } from "./session.ts";

/**
 * The credentials with which a request may ask the clusters: those that its Authorization header or its cookie stands for. A header
 * that signs nobody in is refused, whatever the cookie says.
 * @throws AppError unauthenticated, with `details.signIn`, where the request does not say whose it is.
 */
export function authenticate(request: Request): Credentials {
  const env = readEnv();
  const mode = modeOf(env);
  if (mode === "unsafe-shared-readonly") return ownCredentials;
  const bearer = bearerOf(request);
  if (mode === "local") {
    const isScript = bearer !== null && env.CRDSHIFT_TOKEN !== "" && sameSecret(bearer, env.CRDSHIFT_TOKEN);
    if (isScript || (bearer === null && sessionOf(request))) return ownCredentials;
    throw notSignedIn(
      bearer === null
        ? "Open the link that crdshift printed when it started; it prints a new one each time one is used. Scripts send CRDSHIFT_TOKEN as a bearer token."
        : "Set CRDSHIFT_TOKEN where crdshift is started, and send the same as a bearer token.",
    );
  }
  const ofProxy = env.CRDSHIFT_TOKEN_HEADER ? bearerIn(request.headers.get(env.CRDSHIFT_TOKEN_HEADER)) : null;
  const token = bearer ?? ofProxy ?? sessionOf(request)?.token ?? null;
  if (!token) throw notSignedIn("Sign in with a token of the cluster, or send it as a bearer token.");
  return { kind: "bearer", token };
}

/** The same, or null for a request that does not say whose it is. */
export function credentialsOf(request: Request): Credentials | null {
  try {
    return authenticate(request);
  } catch {
    return null;
  }
}

/** The token of the Authorization header: RFC 6750. Empty where there is none in it; null without the header, or for one of a proxy's own. */
function bearerOf(request: Request): string | null {
  const header = request.headers.get("authorization") ?? "";
  return /^Bearer\b/i.test(header) ? (/^Bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1] ?? "") : null;
}

// Proxies give it with the word Bearer, or alone.
function bearerIn(header: string | null): string | null {
  return header === null ? null : (/^(?:Bearer +)?([\w.~+/-]+=*) *$/i.exec(header)?.[1] ?? "");
}

function notSignedIn(nextStep: string): AppError {
  return new AppError("unauthenticated", "You are not signed in to crdshift.", { nextStep, details: { signIn: true } });
}
