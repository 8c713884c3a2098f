/** What only people read, where a policy may have it. */
const WORDS = new Set(["message", "messageExpression"]);

/** A field of the object, or of a policy's parameters: `object.spec.dryRun`, also `object.?spec.items[0].dryRun`. */
const FIELD = /\b(?:object|oldObject|params)(?<!(?:\.\s*\??|`)\s*\w+)(?:\.\??\w+|\[\d+\])+/g;

/** Another meaning of these names, or what might hide it: a variable of a macro, or a comment. */
const MAY_MEAN_OTHERS = /\b(?:object|oldObject|params)\s*,|\/\//;

/**
 * Whether something in these conditions or expressions may ask for `request.dryRun`. Whatever mentions it does, unless it is the name of an
 * object's own field. Source: https://kubernetes.io/docs/reference/using-api/cel/.
 */
export function asksForDryRun(expressions: unknown): boolean {
  if (typeof expressions === "string") return mentions(MAY_MEAN_OTHERS.test(expressions) ? expressions : expressions.replace(FIELD, " "));
  if (typeof expressions !== "object" || expressions === null) return false;
  return Object.entries(expressions).some(([key, inner]) => !WORDS.has(key) && (mentions(key) || asksForDryRun(inner)));
}

function mentions(text: string): boolean {
  return text.includes("dryRun");
}
