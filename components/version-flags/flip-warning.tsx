"use client";

import { useQuery } from "@tanstack/react-query";
import { Notice } from "#components/ui/notice.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { flipWarningQuery } from "#lib/queries/definition/definition-mutations.ts";

/** What the newest change of the storage version left unchecked, until the definition changes again. */
export function FlipWarning({ cluster, crd }: { cluster: string; crd: Pick<CrdDetail, "name" | "generation"> }) {
  const { data } = useQuery(flipWarningQuery(cluster, crd.name));
  if (!data || data.warning === null || data.generation !== crd.generation) return null;
  return <Notice tone="warning" role="status" title={data.warning} />;
}
