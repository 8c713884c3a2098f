import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd, writeRecord } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { doubtIn, worseDoubt } from "#lib/domain/rewrite/doubt.ts";
import { EMPTY_RECORD, type RewriteRecord } from "#lib/domain/rewrite/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { unreadableRecord } from "#lib/domain/rewrite/unreadable-record.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";

const MAX_ATTEMPTS = 5;

/** The newest run in a record that was just written. Throws Error if the API server dropped the record. */
export function writtenRun(written: Crd): Run {
  const run = readableRecord(written)?.runs[0];
  if (!run) throw new Error(`The API server did not keep the annotation of ${written.name}.`);
  return run;
}

/**
 * Changes crdshift's record on a definition: reads the definition, applies `change`, and writes with its resourceVersion; starts over on
 * a conflict, at most five times. To write nothing, `change` throws or returns the same record object.
 * @throws AppError precondition_failed rather than replace a record that can't be read; `change` gets an empty one.
 * @returns the definition as written.
 */
export async function updateRecord(
  connection: Connection,
  crdName: string,
  change: (crd: Crd, record: RewriteRecord, serverTime: number) => RewriteRecord,
  signal: AbortSignal,
): Promise<Crd> {
  for (let attempt = 1; ; attempt += 1) {
    const { crd, serverTime } = await readCrd(connection, crdName, signal);
    const found = readableRecord(crd) ?? EMPTY_RECORD;
    const before = { ...found, doubt: worseDoubt(doubtIn(found, crd), crd.rememberedDoubt) };
    const record = change(crd, before, serverTime ?? Date.now());
    if (record === before) return crd;
    const unreadable = unreadableRecord(crd);
    if (unreadable) throw refuse(unreadable);
    try {
      const written = await writeRecord(connection, crd, withoutDoubted(record, crd), signal);
      fleetOf(connection).noteCrd(written);
      return written;
    } catch (error) {
      if (!(isAppError(error) && error.code === "conflict") || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

// An older crdshift that writes the annotation drops the doubt, and must not leave a proof that only the doubt disproves.
function withoutDoubted(record: RewriteRecord, crd: Crd): RewriteRecord {
  const doubt = doubtIn(record, crd);
  return { ...record, doubt, proof: doubt ? null : record.proof };
}
