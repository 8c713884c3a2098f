import { describeCrd } from "#lib/cluster/definitions/describe-crd.ts";
import type { CountedTotal } from "#lib/cluster/objects/object-totals.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";

/** The definition as its page shows it at `now`, unprotected, from a fleet that is up to date in a cluster without other engines. */
export function sampleDetail(crd: Crd, counted: CountedTotal, now: number): CrdDetail {
  const asOf = new Date(now).toISOString();
  const notServed = { api: { status: "not-served" as const }, asOf };
  const otherEngines = { "in-tree": notServed, openshift: notServed };
  return { ...describeCrd(crd, counted, now), otherEngines, protection: null, asOf, stale: false };
}
