import { formatCount } from "./format-count.ts";

/** The first `most` of the names, and how many more there are: "a, b and 3 more". */
export function firstOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${formatCount(names.length - most)} more` : shown;
}
