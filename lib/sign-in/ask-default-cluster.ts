import { connect, contextsFor } from "#lib/cluster/connection.ts";
import { anonymousCredentials, ownCredentials } from "#lib/cluster/credentials.ts";
import { readServerVersion } from "#lib/cluster/discovery.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import { readEnv } from "#lib/env.ts";
import { modeOf } from "./mode.ts";

/** Asks the default cluster's API server whether it is there; one that wants to know who asks is. Throws AppError when it is not. */
export async function askDefaultCluster(signal: AbortSignal): Promise<void> {
  // In `token` this process has no rights of its own.
  const credentials = modeOf(readEnv()) === "token" ? anonymousCredentials : ownCredentials;
  try {
    await readServerVersion(await connect(contextsFor(credentials).current, credentials), signal);
  } catch (error) {
    const wantsToKnow = isAppError(error) && (error.code === "unauthenticated" || error.code === "forbidden");
    if (credentials !== anonymousCredentials || !wantsToKnow) throw error;
  }
}
