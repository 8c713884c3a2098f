import { plainText } from "./plain-text.ts";

/**
 * Untrusted text as plainText gives it, at most so many characters of it, then an ellipsis. It is a copy: a slice alone would keep the whole
 * text in memory.
 */
export function boundedText(text: string, most: number): string {
  return plainText(text.length > most ? `${[...text.slice(0, most)].join("")}…` : text);
}
