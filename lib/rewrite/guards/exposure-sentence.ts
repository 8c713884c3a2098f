import type { Run } from "#lib/domain/rewrite/run.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { AdmissionWatch, Exposed } from "./admission-watch.ts";

/**
 * What the end of a run or a cleaning (without a delegation) says about objects that were written while something new changed them, or may
 * have; null if there are none.
 */
export function exposureSentence(
  admission: Pick<AdmissionWatch, "exposed" | "changedUnseen"> | null,
  delegation: Run["delegation"] = null,
): string | null {
  if (admission === null) return null;
  const sentences = [sentenceOfExposed(admission.exposed(), delegation), sentenceOfChanged(admission.changedUnseen())].filter(Boolean);
  return sentences.length === 0 ? null : `${sentences.join(" ")} Compare them with a backup, and restore what is missing.`;
}

function sentenceOfChanged(changed: ReturnType<AdmissionWatch["changedUnseen"]>): string | null {
  if (changed === null) return null;
  const { atLeast, atMost } = changed;
  const objects =
    atMost > atLeast ? `between ${formatCount(atLeast)} and ${formatCountOf(atMost, "object")}` : formatCountOf(atMost, "object");
  return (
    `Something in admission changed ${objects} while crdshift wrote them unchecked: their generation rose, although the ` +
    "API lists no mutating webhook or policy for them. It may have come and gone, or be a static manifest of an API server. " +
    "These objects may have lost fields."
  );
}

function sentenceOfExposed(exposed: Exposed | null, delegation: Run["delegation"]): string | null {
  // Its migration was never picked up, so nothing was written.
  if (exposed === null || (delegation !== null && delegation.phase === null)) return null;
  const at = (ms: number) => new Date(ms).toISOString();
  const between = `between ${at(exposed.from)} and ${at(exposed.to)}`;
  const changed = exposed.unreadable
    ? `crdshift can't list mutating webhooks and policies any more, so some may have been added, edited, or removed ${between}`
    : `Mutating webhooks or policies were added, edited, or removed ${between}`;
  const written =
    delegation === null
      ? `Up to ${formatCountOf(exposed.objects, "object")} written in that time weren't checked first, and may have lost fields.`
      : "The cluster's own engine doesn't check objects before it writes them, so those written since then may have lost fields.";
  return `${changed}, while objects were being written. ${written}`;
}
