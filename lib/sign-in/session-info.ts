import { untilAborted } from "#lib/async/until-aborted.ts";
import type { Credentials } from "#lib/cluster/credentials.ts";
import type { SessionInfo } from "#lib/contract/session.ts";
import { readEnv } from "#lib/env.ts";
import { credentialsOf } from "./authenticate.ts";
import { confirmToken } from "./confirm-token.ts";
import { isInPod, isReadOnly, modeOf } from "./mode.ts";
import { sessionOf } from "./session.ts";

/** Nobody waits for longer to learn how to sign in. */
const NAMED_WITHIN_MS = 3_000;

/** How one is let in here, and as whom this request is. Asks the cluster for the name alone, and throws nothing but the signal's reason. */
export async function sessionInfo(request: Request): Promise<SessionInfo> {
  const env = readEnv();
  const mode = modeOf(env);
  const credentials = credentialsOf(request);
  const session = sessionOf(request);
  return {
    ...{ mode, readOnly: isReadOnly(env), signedIn: credentials !== null },
    user: credentials && (await userOf(credentials, request.signal)),
    until: session && new Date(session.until).toISOString(),
    inPod: isInPod(env),
  };
}

async function userOf(credentials: Credentials, signal: AbortSignal): Promise<string | null> {
  try {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(NAMED_WITHIN_MS)]);
    return await untilAborted(confirmToken(credentials), patience);
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
