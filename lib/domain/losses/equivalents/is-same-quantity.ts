import { type ExactDecimal, isSameDecimal, parseDecimal } from "./exact-decimal.ts";

/** Powers of 1,024, and of 10. */
const BINARY: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** More digits than any quantity has: a long exponent must not make a number that fills the memory. */
const MAX_LENGTH = 64;

interface Quantity {
  value: ExactDecimal;
  hasUnit: boolean;
}

/** A Kubernetes quantity, exactly, or null. Source: apimachinery/pkg/api/resource/quantity.go, without its rounding below nano. */
function parseQuantity(text: string): Quantity | null {
  if (text.length > MAX_LENGTH) return null;
  const [, amount = "", suffix = ""] = /^([+-]?[\d.]+)(.*)$/s.exec(text) ?? [];
  const decimal = parseDecimal(amount);
  if (!decimal) return null;
  const { digits, exponent } = decimal;
  if (suffix === "") return { value: decimal, hasUnit: false };
  const [, power] = /^[eE]([+-]?\d{1,3})$/.exec(suffix) ?? [];
  if (power !== undefined) return { value: { digits, exponent: exponent + Number(power) }, hasUnit: false };
  const ten = Object.hasOwn(DECIMAL, suffix) ? DECIMAL[suffix] : undefined;
  if (ten !== undefined) return { value: { digits, exponent: exponent + ten }, hasUnit: true };
  const kibi = Object.hasOwn(BINARY, suffix) ? BINARY[suffix] : undefined;
  return kibi === undefined ? null : { value: { digits: digits * 1024n ** BigInt(kibi), exponent }, hasUnit: true };
}

/**
 * Whether both are the same resource quantity, as `1000m` and `1`, or `1Gi` and `1024Mi`. One of them must have a unit: `1.0` and `1`, or
 * `1e3` and `1000`, may be versions, names or hashes, and are then not the same.
 */
export function isSameQuantity(one: string, other: string): boolean {
  const [first, second] = [parseQuantity(one), parseQuantity(other)];
  return first !== null && second !== null && (first.hasUnit || second.hasUnit) && isSameDecimal(first.value, second.value);
}
