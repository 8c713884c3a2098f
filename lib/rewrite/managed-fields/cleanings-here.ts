import type { Connection } from "#lib/cluster/connection/connection.ts";
import { definitionKey } from "#lib/cluster/definitions/evidence/per-definition.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { clockTime } from "#lib/domain/wording/local-time.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

type Cluster = Pick<Connection, "server">;

/** A cleaning of this process, from its first write on: whoever may only list the objects must not hold up changes of the definition. */
export interface CleaningHere {
  begin(): void;
  end(): void;
}

export function cleaningHere(cluster: Cluster, { uid }: Pick<Crd, "uid">): CleaningHere {
  const cleaning = { key: definitionKey(cluster, uid), startedAt: new Date().toISOString() };
  let hasEnded = false;
  return {
    begin() {
      if (!hasEnded) cleanings().add(cleaning);
    },
    end() {
      hasEnded = true;
      cleanings().delete(cleaning);
    },
  };
}

/**
 * Refuses a change of a definition's spec while this process cleans its objects: each is stored as the spec was when the cleaning began.
 * @throws AppError conflict
 */
export function refuseWhileCleaning(cluster: Cluster, { uid }: Pick<Crd, "uid">): void {
  const key = definitionKey(cluster, uid);
  const cleaning = [...cleanings()].find((one) => one.key === key);
  if (!cleaning) return;
  const since = clockTime(cleaning.startedAt, Date.now());
  const message = `crdshift has been cleaning managedFields of its objects since ${since}, and changing the definition now would stop that.`;
  throw new AppError("conflict", message, {
    nextStep: "Wait until the cleaning ends, or stop it where it was started, then retry. Objects already cleaned stay clean.",
  });
}

/** All under way in this process; several may be about one definition. */
function cleanings(): Set<{ key: string; startedAt: string }> {
  return processWide("cleanings", () => new Set());
}
