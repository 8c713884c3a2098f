"use client";

import { useQuery } from "@tanstack/react-query";
import type { GuardedAction, NeededRight } from "#lib/domain/needed-rights.ts";
import { rightsQuery } from "./rights-query.ts";

/** The rights that are missing for the action; none for none, and while that is not known, since the cluster decides anyway. */
export function useMissingRights(cluster: string, crd: string, action: GuardedAction | null): NeededRight[] {
  const { data, isSuccess } = useQuery(rightsQuery(cluster, crd));
  return isSuccess && action !== null ? data.missing[action] : [];
}
