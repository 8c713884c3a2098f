import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import type { ObjectTotal } from "#lib/contract/crd.ts";
import { type Crd, readingVersion } from "#lib/domain/crd.ts";
import type { Connection } from "./connection.ts";
import { clusterAnswer, isConversionFailure } from "./errors.ts";
import { listObjects } from "./object-pages.ts";
import { NO_VERSION_SERVED, whyUncounted } from "./why-uncounted.ts";

/** How many objects a definition has, and what the count said about conversion. */
export interface CountedTotal extends ObjectTotal {
  conversionFailure: string | null;
}

export const UNCOUNTED: CountedTotal = { total: null, basis: "unknown", asOf: null, message: null, conversionFailure: null };

const CONCURRENCY = 4;

/** Counts the objects of each definition, a few at a time, and reports each as it is known. */
export async function countTotals(
  connection: Connection,
  crds: Crd[],
  signal: AbortSignal,
  onTotal: (crd: Crd, total: CountedTotal) => void,
): Promise<void> {
  await forEachConcurrently(crds, { concurrency: CONCURRENCY, signal }, async (crd) => {
    onTotal(crd, await countTotal(connection, crd, signal));
  });
}

/** The exact number of objects by a list with limit=1, which costs the API server next to nothing. */
async function countTotal(connection: Connection, crd: Crd, signal: AbortSignal): Promise<CountedTotal> {
  const version = readingVersion(crd);
  const asOf = new Date().toISOString();
  if (!version) return { ...UNCOUNTED, ...NO_VERSION_SERVED, asOf };
  try {
    const { total } = await listObjects(connection, crd, { version: version.name, limit: 1, signal });
    return { total, basis: "list", asOf, message: null, conversionFailure: null };
  } catch (error) {
    signal.throwIfAborted();
    const answer = clusterAnswer(error);
    const why = whyUncounted(crd, error);
    return { total: null, ...why, asOf, conversionFailure: answer && isConversionFailure(answer) ? why.message : null };
  }
}
