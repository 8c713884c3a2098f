/** A Status nests less deep. */
const MOST_LEVELS = 16;

/**
 * The beginning of a JSON object that was cut somewhere, as JSON. An incomplete member is left out, but a text that is a value ends where
 * it was cut. Empty if no member is complete.
 */
export function completedJson(cut: string): string {
  let closers = "";
  let complete = { end: 0, closers: "" };
  let isValue = false;
  for (let at = 0; at < cut.length && closers.length <= MOST_LEVELS; at += 1) {
    switch (cut[at]) {
      case '"': {
        const { end, isClosed } = endOfText(cut, at);
        if (!isClosed && isValue) return `${cut.slice(0, end)}"${closers}`;
        at = end;
        break;
      }
      case "{":
        closers = `}${closers}`;
        isValue = false;
        break;
      case "[":
        closers = `]${closers}`;
        isValue = true;
        break;
      case "}":
      case "]":
        closers = closers.slice(1);
        complete = { end: at + 1, closers };
        break;
      case ",":
        complete = { end: at, closers };
        isValue = closers.startsWith("]");
        break;
      case ":":
        isValue = true;
        break;
    }
  }
  return cut.slice(0, complete.end) + complete.closers;
}

/** Where the text that begins at `start` ends: at its closing quote, or before the character that was cut. */
function endOfText(cut: string, start: number): { end: number; isClosed: boolean } {
  let at = start + 1;
  while (at < cut.length && cut[at] !== '"') {
    const length = cut[at] !== "\\" ? 1 : cut[at + 1] === "u" ? 6 : 2;
    if (at + length > cut.length) break;
    at += length;
  }
  return { end: at, isClosed: cut[at] === '"' };
}
