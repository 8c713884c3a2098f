import { describeCrd } from "#lib/cluster/definitions/describe-crd.ts";
import type { CountedTotal } from "#lib/cluster/objects/object-totals.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";

/** The definition as its page shows it at `now`, unprotected, from a fleet that is up to date. */
export function sampleDetail(crd: Crd, counted: CountedTotal, now: number): CrdDetail {
  return { ...describeCrd(crd, counted, now), protection: null, asOf: new Date(now).toISOString(), stale: false };
}
