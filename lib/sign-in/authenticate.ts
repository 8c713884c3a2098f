import { type Credentials, ownCredentials } from "#lib/cluster/connection/credentials.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { SessionEnd } from "#lib/contract/session.ts";
import { readEnv } from "#lib/settings/env.ts";
import { modeOf } from "./mode.ts";
import { sameSecret } from "./session/seal.ts";
import { findSession, type Session } from "./session/session.ts";

/** Whose a request is: credentials, with the session where that is what they come from; or why there are none, as far as known, and what to do. */
export type Asker =
  | { credentials: Credentials; session: Session | null }
  | { credentials: null; ended: SessionEnd | null; nextStep: string };

/**
 * The credentials with which a request may ask the clusters: those that its Authorization header or its cookie stands for. A header
 * that signs nobody in is refused, whatever the cookie says.
 * @throws AppError unauthenticated, with `details.signIn`, where the request does not say whose it is.
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

/** The same for those who only want to know. */
export function whoAsks(request: Request): Asker {
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
          "Open the link that crdshift printed when it started; it prints a new one each time one is used. Scripts send CRDSHIFT_TOKEN as a bearer token.",
      };
    }
    case "token": {
      const ofProxy = env.CRDSHIFT_TOKEN_HEADER ? bearerIn(request.headers.get(env.CRDSHIFT_TOKEN_HEADER)) : null;
      const sent = bearerOf(request) ?? ofProxy;
      const { session, ended } = sent === null ? findSession(request) : { session: null, ended: null };
      const token = sent ?? session?.token;
      if (token) return { credentials: { kind: "bearer", token }, session };
      return { credentials: null, ended, nextStep: "Sign in with a token of the cluster, or send it as a bearer token." };
    }
    default:
      return mode satisfies never;
  }
}

function ofScript(bearer: string, expected: string): Asker {
  if (expected !== "" && sameSecret(bearer, expected)) return { credentials: ownCredentials, session: null };
  const nextStep = "Set CRDSHIFT_TOKEN where crdshift is started, and send the same as a bearer token.";
  return { credentials: null, ended: null, nextStep };
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
