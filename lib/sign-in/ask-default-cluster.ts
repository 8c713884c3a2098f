import { connect, contextsFor } from "#lib/cluster/connection.ts";
import { type Credentials, ownCredentials } from "#lib/cluster/credentials.ts";
import { readServerVersion } from "#lib/cluster/discovery.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import { readEnv } from "#lib/env.ts";
import { modeOf } from "./mode.ts";

/** Nobody: in `token` this process has no rights of its own. */
const anonymous: Credentials = { kind: "bearer", token: "" };

/** Asks the default cluster's API server whether it is there; one that wants to know who asks is. Throws AppError when it is not. */
export async function askDefaultCluster(signal: AbortSignal): Promise<void> {
  const credentials = modeOf(readEnv()) === "token" ? anonymous : ownCredentials;
  try {
    await readServerVersion(await connect(contextsFor(credentials).current, credentials), signal);
  } catch (error) {
    const wantsToKnow = isAppError(error) && (error.code === "unauthenticated" || error.code === "forbidden");
    if (credentials !== anonymous || !wantsToKnow) throw error;
  }
}
