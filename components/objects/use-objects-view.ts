"use client";

import { parseAsString, useQueryStates } from "nuqs";

const parsers = { version: parseAsString, continue: parseAsString };

/** Which version the objects are shown at and which page of them, kept in the URL; a new page is a step back can undo. */
export function useObjectsView() {
  const [view, setView] = useQueryStates(parsers, { history: "push", scroll: true });
  return { version: view.version, token: view.continue, setView };
}
