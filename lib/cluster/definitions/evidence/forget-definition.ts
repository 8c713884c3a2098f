import type { Connection } from "#lib/cluster/connection/connection.ts";
import { forgetSeen } from "./first-seen.ts";
import { forgetDoubt } from "./remembered-doubt.ts";
import { forgetWithdrawn } from "./withdrawn-evidence.ts";

/** Forgets what this process knows of a deleted definition. */
export function forgetDefinition(connection: Pick<Connection, "server">, uid: string): void {
  forgetSeen(connection, uid);
  forgetWithdrawn(connection, uid);
  forgetDoubt(connection, uid);
}
