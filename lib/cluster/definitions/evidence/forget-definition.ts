import type { Connection } from "#lib/cluster/connection/connection.ts";
import { forgetSeen } from "./first-seen.ts";
import { forgetOwnRuns } from "./own-runs.ts";
import { forgetDoubt } from "./remembered-doubt.ts";
import { forgetFlipLosses } from "./remembered-flip-losses.ts";
import { forgetLostVersions, forgetShrink } from "./remembered-shrink.ts";
import { forgetUnrecordedEnd } from "./unrecorded-ends.ts";
import { forgetWithdrawn } from "./withdrawn-evidence.ts";

/** Forgets what this process knows of a deleted definition. */
export function forgetDefinition(connection: Pick<Connection, "server">, uid: string): void {
  forgetSeen(connection, uid);
  forgetWithdrawn(connection, uid);
  forgetDoubt(connection, uid);
  forgetShrink(connection, uid);
  forgetLostVersions(connection, uid);
  forgetFlipLosses(connection, uid);
  forgetOwnRuns(connection, uid);
  forgetUnrecordedEnd(connection, uid);
}
