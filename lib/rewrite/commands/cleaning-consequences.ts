import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { exposureSentence } from "#lib/rewrite/guards/exposure-sentence.ts";
import { unconfirmedSentence } from "#lib/rewrite/run/confirm-definition.ts";
import type { CleaningWork } from "./clean-objects.ts";
import { type CleaningTally, MAX_NAMED } from "./cleaning-tally.ts";

/** What to say of a cleaning's writes beyond their number, once it has ended; empty if nothing. */
export async function consequencesOf({ cleaning, admission, writes, tally }: CleaningWork): Promise<string> {
  const { emptied, disowned } = tally.losses();
  const [unconfirmed] = await Promise.all([unconfirmedSentence({ ...cleaning, writes }), admission.lastLook()]);
  return [emptiedWords(emptied), disownedWords(disowned), unconfirmed, exposureSentence(admission)].filter(Boolean).join(" ");
}

function emptiedWords(emptied: readonly string[]): string | null {
  if (emptied.length === 0) return null;
  const more = emptied.length > MAX_NAMED ? ` and ${emptied.length - MAX_NAMED} more` : "";
  return `The API server emptied the managedFields of ${emptied.slice(0, MAX_NAMED).join(", ")}${more}, and they aren't put back.`;
}

// Told only for removed versions; entries of others stay as they are.
function disownedWords({ objects, first }: ReturnType<CleaningTally["losses"]>["disowned"]): string | null {
  if (objects === 0) return null;
  const of = `In ${formatCountOf(objects, "object")}, managers of the removed version no longer own some fields`;
  return `${of}, such as ${first}: the storage version's schema has a different list type, map keys, or map type there.`;
}
