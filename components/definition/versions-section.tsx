"use client";

import { useQuery } from "@tanstack/react-query";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { objectCountsQuery } from "#lib/queries/object-counts-query.ts";
import { CountStatus } from "./count-status.tsx";
import { PriorityOrder } from "./priority-order.tsx";
import { RemovedVersion } from "./removed-version.tsx";
import { VersionLadder } from "./version-ladder.tsx";

/** The versions in priority order with what is known of the objects in each. */
export function VersionsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const counts = useQuery(objectCountsQuery(cluster, crd.name));
  return (
    <Section title="Versions" aside={<CountStatus cluster={cluster} crd={crd} counts={counts} />}>
      <VersionLadder cluster={cluster} crd={crd} counts={counts.data ?? null} />
      <PriorityOrder versions={crd.versions} />
      <RemovedVersion cluster={cluster} crd={crd} />
    </Section>
  );
}
