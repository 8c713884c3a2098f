import { formatCount } from "./format-count.ts";

/** The first ten names, or `most`, and how many more there are: "a, b and 3 more". A definition may have thousands of versions. */
export function firstOf(names: readonly string[], most = 10): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${formatCount(names.length - most)} more` : shown;
}
