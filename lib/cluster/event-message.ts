import { plainText } from "./plain-text.ts";

/** Bytes, as kubernetes/pkg/apis/core/validation/events.go counts them. */
const MAX_BYTES = 1_024;

/** A message as an Event may hold it: plain, and cut after 1,024 bytes, between two characters. */
export function eventMessage(message: string): string {
  const text = plainText(message);
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= MAX_BYTES) return text;
  const ellipsis = "…";
  const kept = bytes.subarray(0, MAX_BYTES - Buffer.byteLength(ellipsis)).toString("utf8");
  // A character that was cut in two is read as replacement characters.
  return `${kept.replace(/\uFFFD+$/, "")}${ellipsis}`;
}
