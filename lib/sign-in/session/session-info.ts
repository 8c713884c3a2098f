import { untilAborted } from "#lib/async/until-aborted.ts";
import { contextsFor } from "#lib/cluster/connection/connect.ts";
import { anonymousCredentials, type Credentials, tokenExpiry } from "#lib/cluster/connection/credentials.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { SessionInfo } from "#lib/contract/session.ts";
import { readEnv } from "#lib/settings/env.ts";
import { whoAsks } from "#lib/sign-in/authenticate.ts";
import { confirmToken } from "#lib/sign-in/confirm-token.ts";
import { isInPod, isReadOnly, type Mode, modeOf } from "#lib/sign-in/mode.ts";

/** The longest wait for the user's name before the sign-in state is shown. */
const NAMED_WITHIN_MS = 3_000;

const NOBODY = { signedIn: false, user: null, until: null, tokenUntil: null } as const;

/** How users sign in here, and who sent this request. Asks the cluster only for the user's name, and throws only the signal's reason. */
export async function sessionInfo(request: Request): Promise<SessionInfo> {
  const env = readEnv();
  const mode = modeOf(env);
  const here = { mode, readOnly: isReadOnly(env), inPod: isInPod(env), cluster: clusterOfTokens(mode) };
  const asker = whoAsks(request);
  if (!asker.credentials) return { ...here, ...NOBODY, ended: asker.ended };
  const { credentials, session } = asker;
  const { user, isRefused } = await userOf(credentials, request.signal);
  // A user with a cookie has to sign in again. A proxy's token counts whatever the answer here.
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

/**
 * The cluster's name, shown before sign-in so that people see which cluster gets their token. Page addresses contain the name too, but
 * not the API server's address.
 */
function clusterOfTokens(mode: Mode): string | null {
  if (mode !== "token") return null;
  try {
    return contextsFor(anonymousCredentials).current;
  } catch {
    // The sign-in itself reports the problem.
    return null;
  }
}

/** Null for a time that no calendar has, which a token may contain. */
function timeOf(ms: number | null): string | null {
  const time = new Date(ms ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
