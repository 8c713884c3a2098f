import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";

/** What the API server checks a string against; where any is set, the way it is written may matter. */
const SPELLED_OUT = ["enum", "pattern", "allOf", "anyOf", "oneOf", "not"];

/**
 * Whether two different values of a field are the same value written otherwise: as Go durations, quantities, or times. A real change must
 * never pass for one, so it demands all of this:
 * - Both are strings. A number that became a string is another value.
 * - The schema has the field, as a string with neither enum, pattern nor a format of something else, or as int-or-string, which is how
 *   quantities are declared (with a pattern of their own), and only they. Without a schema, nobody knows what the text is.
 * - At least one of two quantities or durations has a unit (see there): `1.10` and `1.1` may be versions, `1e3` and `1000` hashes.
 */
export function isSameValue(before: ExactJson, after: ExactJson, schema: ExactJson | undefined): boolean {
  if (typeof before !== "string" || typeof after !== "string") return false;
  const has = (keyword: string) => exactProperty(schema, keyword) !== undefined;
  if (exactProperty(schema, "x-kubernetes-int-or-string") === true) return !has("enum") && isSameQuantity(before, after);
  if (exactProperty(schema, "type") !== "string" || SPELLED_OUT.some(has)) return false;
  const format = exactProperty(schema, "format");
  if (format === "duration") return isSameDuration(before, after);
  if (format === "date-time") return isSameTime(before, after);
  if (format !== undefined) return false;
  return isSameDuration(before, after) || isSameTime(before, after);
}

const RFC_3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const MAX_TIME_LENGTH = 64;

/** The instant as text with a fraction of any precision; null for anything but an RFC 3339 time as Go reads it. */
function instant(text: string): string | null {
  const match = text.length > MAX_TIME_LENGTH ? null : RFC_3339.exec(text);
  if (!match) return null;
  const [, local = "", fraction = "", sign = "", hours = "0", minutes = "0"] = match;
  const clock = Date.parse(`${local}Z`);
  // Date.parse takes February 30 for March 1.
  if (Number.isNaN(clock) || new Date(clock).toISOString().slice(0, local.length) !== local) return null;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return `${sign === "-" ? clock + offset : clock - offset}.${fraction.replace(/0+$/, "")}`;
}

/** Whether both are RFC 3339 times of the same instant, as `12:00:00Z` and `13:00:00+01:00` of one day. */
export function isSameTime(one: string, other: string): boolean {
  const first = instant(one);
  return first !== null && first === instant(other);
}

/** Powers of 1,024, and of 10. */
const BINARY: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** More digits than any quantity has: a long exponent must not make a number that fills the memory. */
const MAX_QUANTITY_LENGTH = 64;

interface Quantity {
  value: ExactDecimal;
  hasUnit: boolean;
}

/** A Kubernetes quantity, exactly, or null. Source: apimachinery/pkg/api/resource/quantity.go, without its rounding below nano. */
function parseQuantity(text: string): Quantity | null {
  if (text.length > MAX_QUANTITY_LENGTH) return null;
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

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ...{ ns: 1n, us: 1_000n, µs: 1_000n, μs: 1_000n, ms: 1_000_000n },
  ...{ s: 1_000_000_000n, m: 60_000_000_000n, h: 3_600_000_000_000n },
};
const MAX_DURATION_LENGTH = 100;
/** What an int64 of nanoseconds holds, at that many decimal places. */
const LONGEST = (2n ** 63n - 1n) * 10n ** BigInt(MAX_DURATION_LENGTH);

/** A Go duration in nanoseconds, or null: the grammar of time.ParseDuration, without its rounding below a nanosecond. */
function parseGoDuration(text: string): ExactDecimal | null {
  if (text.length > MAX_DURATION_LENGTH) return null;
  const [, sign = "", amounts = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (amounts === "0") return { digits: 0n, exponent: 0 };
  const parts = amounts.match(/[\d.]+[^\d.]+/g) ?? [];
  if (parts.length === 0 || parts.join("") !== amounts) return null;
  let total = { digits: 0n, exponent: -MAX_DURATION_LENGTH };
  for (const part of parts) {
    const [, amount = "", unit = ""] = /^([\d.]+)(.+)$/s.exec(part) ?? [];
    const decimal = parseDecimal(amount);
    const nanoseconds = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined;
    if (!decimal || nanoseconds === undefined) return null;
    const digits = decimal.digits * nanoseconds * 10n ** BigInt(MAX_DURATION_LENGTH + decimal.exponent);
    total = { ...total, digits: total.digits + digits };
  }
  if (total.digits > LONGEST) return null;
  return sign === "-" ? { ...total, digits: -total.digits } : total;
}

/** Whether both are Go durations of the same length, as `90s` and `1m30s`, or `0` and `0s`. `010m` and `10m` may be part numbers. */
export function isSameDuration(one: string, other: string): boolean {
  const [first, second] = [parseGoDuration(one), parseGoDuration(other)];
  const hasUnit = [one, other].some((text) => /[a-z]/.test(text));
  const isPadded = [one, other].some((text) => /(?<![\d.])0\d/.test(text));
  return first !== null && second !== null && hasUnit && !isPadded && isSameDecimal(first, second);
}

/** digits × 10^exponent, exactly. */
interface ExactDecimal {
  digits: bigint;
  exponent: number;
}

/** A decimal of plain digits with an optional sign and point, as in `-1.50`, `.5` and `5.`; null for anything else. */
function parseDecimal(text: string): ExactDecimal | null {
  const [, sign = "", whole = "", fraction = ""] = /^([+-]?)(\d*)\.?(\d*)$/.exec(text) ?? [];
  if (whole + fraction === "") return null;
  return { digits: BigInt(`${sign === "-" ? "-" : ""}${whole}${fraction}`), exponent: -fraction.length };
}

function isSameDecimal(one: ExactDecimal, other: ExactDecimal): boolean {
  const exponent = Math.min(one.exponent, other.exponent);
  const scaled = (decimal: ExactDecimal) => decimal.digits * 10n ** BigInt(decimal.exponent - exponent);
  return scaled(one) === scaled(other);
}
