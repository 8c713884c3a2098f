import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { expectRecord } from "#lib/rewrite/record/own-record.ts";
import type { RunControl } from "#lib/rewrite/run/running.ts";

/** The control of a run that does nothing more than write its record. */
export function idleControl(run: Run): RunControl {
  const user = { connection: {} as Partial<Connection> as Connection, audience: "a", cluster: "a", person: "a", uid: "a" };
  return {
    ...user,
    pacer: createPacer(null),
    current: () => run,
    expectRecord: () => expectRecord({ run }),
    publish: () => run,
    noteReason() {},
    ending: true,
  };
}
