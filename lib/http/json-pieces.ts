/**
 * JSON text of an answer, in pieces: its lists go element by element, so that whoever reads it can stop before megabytes are made.
 * @param body an object without `toJSON`, as answers are, or any other JSON value, which is one piece.
 */
export function* jsonPieces(body: unknown): Generator<string> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    const text = JSON.stringify(body);
    if (text === undefined) throw new TypeError("There is nothing to answer.");
    yield text;
    return;
  }
  let before = "{";
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ",";
    if (Array.isArray(value)) yield* listPieces(value);
    else yield JSON.stringify(value);
  }
  yield before === "{" ? "{}" : "}";
}

function* listPieces(list: readonly unknown[]): Generator<string> {
  let before = "[";
  for (const element of list) {
    yield `${before}${JSON.stringify(element ?? null)}`;
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}
