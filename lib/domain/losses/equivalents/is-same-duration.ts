import { type ExactDecimal, isSameDecimal, parseDecimal } from "./exact-decimal.ts";

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ...{ ns: 1n, us: 1_000n, µs: 1_000n, μs: 1_000n, ms: 1_000_000n },
  ...{ s: 1_000_000_000n, m: 60_000_000_000n, h: 3_600_000_000_000n },
};
const MAX_LENGTH = 100;
/** What an int64 of nanoseconds holds, at that many decimal places. */
const LONGEST = (2n ** 63n - 1n) * 10n ** BigInt(MAX_LENGTH);

/** A Go duration in nanoseconds, or null: the grammar of time.ParseDuration, without its rounding below a nanosecond. */
function parseGoDuration(text: string): ExactDecimal | null {
  if (text.length > MAX_LENGTH) return null;
  const [, sign = "", amounts = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (amounts === "0") return { digits: 0n, exponent: 0 };
  const parts = amounts.match(/[\d.]+[^\d.]+/g) ?? [];
  if (parts.length === 0 || parts.join("") !== amounts) return null;
  let total = { digits: 0n, exponent: -MAX_LENGTH };
  for (const part of parts) {
    const [, amount = "", unit = ""] = /^([\d.]+)(.+)$/s.exec(part) ?? [];
    const decimal = parseDecimal(amount);
    const nanoseconds = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined;
    if (!decimal || nanoseconds === undefined) return null;
    const digits = decimal.digits * nanoseconds * 10n ** BigInt(MAX_LENGTH + decimal.exponent);
    total = { ...total, digits: total.digits + digits };
  }
  if (total.digits > LONGEST) return null;
  return sign === "-" ? { ...total, digits: -total.digits } : total;
}

/** Whether both are Go durations of the same length, as `90s` and `1m30s`. One of them must have a unit: `0` alone may be anything. */
export function isSameDuration(one: string, other: string): boolean {
  const [first, second] = [parseGoDuration(one), parseGoDuration(other)];
  return first !== null && second !== null && [one, other].some((text) => /[a-z]/.test(text)) && isSameDecimal(first, second);
}
