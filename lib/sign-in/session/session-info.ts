import { untilAborted } from "#lib/async/until-aborted.ts";
import { contextsFor } from "#lib/cluster/connection/connection.ts";
import { anonymousCredentials, type Credentials, tokenExpiry } from "#lib/cluster/connection/credentials.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { SessionInfo } from "#lib/contract/session.ts";
import { readEnv } from "#lib/settings/env.ts";
import { whoAsks } from "#lib/sign-in/authenticate.ts";
import { confirmToken } from "#lib/sign-in/confirm-token.ts";
import { isInPod, isReadOnly, type Mode, modeOf } from "#lib/sign-in/mode.ts";

/** Nobody waits for longer to learn how to sign in. */
const NAMED_WITHIN_MS = 3_000;

const NOBODY = { signedIn: false, user: null, until: null, tokenUntil: null } as const;

/** How one is let in here, and as whom this request is. Asks the cluster for the name alone, and throws nothing but the signal's reason. */
export async function sessionInfo(request: Request): Promise<SessionInfo> {
  const env = readEnv();
  const mode = modeOf(env);
  const here = { mode, readOnly: isReadOnly(env), inPod: isInPod(env), cluster: clusterOfTokens(mode) };
  const asker = whoAsks(request);
  if (!asker.credentials) return { ...here, ...NOBODY, ended: asker.ended };
  const { credentials, session } = asker;
  const { user, isRefused } = await userOf(credentials, request.signal);
  // Who came with a cookie has to sign in anew. A proxy's token counts whatever is given here.
  if (isRefused && session) return { ...here, ...NOBODY, ended: "token-refused" };
  return {
    ...here,
    ...{ signedIn: true, user },
    until: session && timeOf(session.until),
    tokenUntil: credentials.kind === "bearer" ? timeOf(tokenExpiry(credentials.token)) : null,
    ended: isRefused ? "token-refused" : null,
  };
}

async function userOf(credentials: Credentials, signal: AbortSignal): Promise<{ user: string | null; isRefused: boolean }> {
  try {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(NAMED_WITHIN_MS)]);
    return { user: await untilAborted(confirmToken(credentials), patience), isRefused: false };
  } catch (error) {
    signal.throwIfAborted();
    return { user: null, isRefused: isAppError(error) && error.code === "unauthenticated" };
  }
}

/** Told to people who are not signed in, so that they see which cluster they give a token to. Its name stands in each page's address; where its API server is does not. */
function clusterOfTokens(mode: Mode): string | null {
  if (mode !== "token") return null;
  try {
    return contextsFor(anonymousCredentials).current;
  } catch {
    // The sign-in says what is wrong.
    return null;
  }
}

/** A token may name a time that no calendar has. */
function timeOf(ms: number | null): string | null {
  const time = new Date(ms ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
