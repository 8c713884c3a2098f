import { formatCount } from "./format-count.ts";

/** Of a definition's versions, which may be thousands. */
export const MOST_NAMED = 10;

/** The first ten names, or `most`, and how many more there are: "a, b and 3 more". */
export function firstOf(names: readonly string[], most = MOST_NAMED): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${formatCount(names.length - most)} more` : shown;
}
