import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Output } from "./terminal/output.ts";
import type { StopSignals } from "./terminal/stop-signals.ts";

/** What a command works with. */
export interface Session {
  connection: Connection;
  output: Output;
  stop: StopSignals;
  /** How commands are written in what is told. */
  program: string;
}
