"use client";

import { parseAsArrayOf, parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { crdStates } from "#lib/domain/definition/crd-state.ts";

export const sortKeys = ["name", "objects", "state"] as const;
export type SortKey = (typeof sortKeys)[number];

const parsers = {
  q: parseAsString.withDefault(""),
  state: parseAsArrayOf(parseAsStringLiteral(crdStates)).withDefault([]),
  group: parseAsString,
  sort: parseAsStringLiteral(sortKeys).withDefault("state"),
  desc: parseAsBoolean.withDefault(false),
};

/** The fleet's filters and sort order, kept in the URL. */
export function useFleetView() {
  const [view, setView] = useQueryStates(parsers, { history: "replace" });
  const clearFilters = () => setView({ q: null, state: null, group: null });
  return { view, setView, clearFilters };
}
