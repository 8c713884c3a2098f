import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Output } from "./terminal/output.ts";
import type { StopSignals } from "./terminal/stop-signals.ts";

/** The context a command runs in. */
export interface Session {
  connection: Connection;
  output: Output;
  stop: StopSignals;
  /** The program name in suggested commands. */
  program: string;
}
