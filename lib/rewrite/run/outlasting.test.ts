import { expect, test } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { answering, outlasting } from "./outlasting.ts";
import { StopRun } from "./stop-run.ts";

// With the wait after any end (later), a write that has met another schema is not cut off.
test.each([
  ["a person", new StopRun("cancelled", "Cancelled."), true],
  ["a shutdown", new StopRun("interrupted", "crdshift was shut down."), true],
  ["a closed page", new DOMException("This operation was aborted", "AbortError"), true],
  ["a changed definition", new StopRun("failed", "The definition changed meanwhile."), false],
  ["a run that another crdshift has", new StopRun("elsewhere", "Another crdshift has taken over."), false],
  ["a definition that changed under a verification", new AppError("precondition_failed", "The definition changed."), false],
])("answers, and what has to follow them, are waited for a moment longer if %s stopped the work: %s %s", (_, reason, lasts) => {
  const stop = new AbortController();
  const later = [answering(stop.signal), outlasting(stop.signal)];
  stop.abort(reason);
  expect(later.map(({ aborted }) => aborted)).toEqual([!lasts, !lasts]);
});
