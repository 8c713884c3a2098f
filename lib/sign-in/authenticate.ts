import { type Credentials, ownCredentials } from "#lib/cluster/connection/credentials.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { SessionEnd } from "#lib/contract/session.ts";
import { readEnv } from "#lib/settings/env.ts";
import { modeOf } from "./mode.ts";
import { hasOneSpelling } from "./one-spelling.ts";
import { sameSecret } from "./session/seal.ts";
import { type Asked, findSession, type Session } from "./session/session.ts";

const OTHER_SPELLING = "The token's text isn't exactly what its issuer wrote: send it unchanged, or create a new one.";

/** Who sent a request: their credentials, with the session they come from, if any; or what to do, and if known, why the session ended. */
export type Asker =
  | { credentials: Credentials; session: Session | null }
  | { credentials: null; ended: SessionEnd | null; nextStep: string };

/**
 * The credentials of a request for asking clusters, from its Authorization header or its cookie. An invalid header is refused, even
 * with a valid cookie.
 * @throws AppError unauthenticated, with `details.signIn`, if the request isn't signed in.
 */
export function authenticate(request: Request): Credentials {
  const asker = whoAsks(request);
  if (asker.credentials) return asker.credentials;
  const { ended, nextStep } = asker;
  throw new AppError("unauthenticated", "You are not signed in to crdshift.", {
    nextStep,
    details: { signIn: true, ...(ended && { ended }) },
  });
}

/** Like `authenticate`, without throwing. */
export function whoAsks(request: Asked): Asker {
  const env = readEnv();
  const mode = modeOf(env);
  switch (mode) {
    case "unsafe-shared-readonly":
      return { credentials: ownCredentials, session: null };
    case "local": {
      const bearer = bearerOf(request);
      if (bearer !== null) return ofScript(bearer, env.CRDSHIFT_TOKEN);
      const { session, ended } = findSession(request);
      if (session) return { credentials: ownCredentials, session };
      return {
        ...{ credentials: null, ended },
        nextStep:
          "Open the newest link that crdshift printed: each works once, then it prints another. Scripts send CRDSHIFT_TOKEN as a bearer token.",
      };
    }
    case "token": {
      const ofProxy = env.CRDSHIFT_TOKEN_HEADER ? bearerIn(request.headers.get(env.CRDSHIFT_TOKEN_HEADER)) : null;
      const sent = bearerOf(request) ?? ofProxy;
      const { session, ended } = sent === null ? findSession(request) : { session: null, ended: null };
      const token = sent ?? session?.token;
      if (token && !hasOneSpelling(token)) return { credentials: null, ended, nextStep: OTHER_SPELLING };
      if (token) return { credentials: { kind: "bearer", token }, session };
      return { credentials: null, ended, nextStep: "Sign in with a cluster token, or send it as a bearer token." };
    }
    default:
      return mode satisfies never;
  }
}

function ofScript(bearer: string, expected: string): Asker {
  if (expected !== "" && sameSecret(bearer, expected)) return { credentials: ownCredentials, session: null };
  const nextStep = "Set CRDSHIFT_TOKEN where you start crdshift, and send the same value as a bearer token.";
  return { credentials: null, ended: null, nextStep };
}

/** The Authorization header's bearer token (RFC 6750). Empty if it is malformed; null without the header, or with a proxy's own scheme. */
function bearerOf(request: Asked): string | null {
  const header = request.headers.get("authorization") ?? "";
  return /^Bearer\b/i.test(header) ? (/^Bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1] ?? "") : null;
}

// Proxies send it with or without the word Bearer.
function bearerIn(header: string | null): string | null {
  return header === null ? null : (/^(?:Bearer +)?([\w.~+/-]+=*) *$/i.exec(header)?.[1] ?? "");
}
