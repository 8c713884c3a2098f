/** How a rewrite verified its objects, or would, for people. */
export function verificationWords(verify: "settle-point" | "every-object"): string {
  return verify === "every-object"
    ? "every object patched again, without effect"
    : "every object above the settle point, or patched again without effect";
}
