import type { History } from "#lib/contract/history.ts";
import { removalSentence } from "#lib/domain/history.ts";
import type { RemovalStepName } from "#lib/domain/removal.ts";

type Entry = History["items"][number];

/** The newest entry of a definition's history that tells of this step for this version; null where nothing does. */
export function doneEntry(items: readonly Entry[], step: RemovalStepName, version: string): Entry | null {
  return items.find((entry) => tellsOf(entry, step, version)) ?? null;
}

function tellsOf({ kind, message }: Entry, step: RemovalStepName, version: string): boolean {
  const tells = (what: string) => kind === "changed" && message.startsWith(`${version} `) && message.includes(what);
  switch (step) {
    case "clients":
      return tells("is deprecated");
    case "serving":
      return tells("is not served any more");
    case "storage":
      return kind === "pruned" && message.split(/[ ,]+/).includes(version);
    case "spec":
      return kind === "removed" && message === removalSentence(version);
    case "conversion":
      return kind === "unconverted";
    default:
      return step satisfies never;
  }
}
