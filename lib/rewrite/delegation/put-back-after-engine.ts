import type { Crd } from "#lib/domain/definition/crd.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { holderName } from "#lib/rewrite/run/running.ts";
import { repairStoredVersions } from "./repair-stored-versions.ts";

/** Puts the versions back that the delegated engine removed, if that is due, and records it on the run. */
export async function putBackAfterEngine(
  { heldRun, state, gate }: Progress,
  isDue: (now: Crd) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { delegation } = state.run;
  if (!delegation) return;
  const isMine = (now: Crd) => {
    const record = readableRecord(now);
    return record?.holder === holderName() && record.runs[0]?.id === heldRun.run.id;
  };
  const noted = await repairStoredVersions(
    heldRun.connection,
    heldRun.crd,
    { run: state.run, delegation },
    {
      isDue: (now) => {
        const because = gate.record.cause();
        if (because !== null) throw new GateHeld(because);
        return isMine(now) && isDue(now);
      },
      signal,
    },
  );
  state.run = { ...state.run, delegation: noted };
}
