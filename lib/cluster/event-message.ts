/** Bytes, as kubernetes/pkg/apis/core/validation/events.go counts them. */
const MAX_BYTES = 1_024;

/** A message as an Event may hold it: cut after 1,024 bytes, between two characters. */
export function eventMessage(message: string): string {
  const bytes = Buffer.from(message, "utf8");
  if (bytes.length <= MAX_BYTES) return message;
  const ellipsis = "…";
  const kept = bytes.subarray(0, MAX_BYTES - Buffer.byteLength(ellipsis)).toString("utf8");
  // A character that was cut in two is read as replacement characters.
  return `${kept.replace(/\uFFFD+$/, "")}${ellipsis}`;
}
