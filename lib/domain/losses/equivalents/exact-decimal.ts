/** digits × 10^exponent, exactly. */
export interface ExactDecimal {
  digits: bigint;
  exponent: number;
}

/** A decimal of plain digits with an optional sign and point, as in `-1.50`, `.5` and `5.`; null for anything else. */
export function parseDecimal(text: string): ExactDecimal | null {
  const [, sign = "", whole = "", fraction = ""] = /^([+-]?)(\d*)\.?(\d*)$/.exec(text) ?? [];
  if (whole + fraction === "") return null;
  return { digits: BigInt(`${sign === "-" ? "-" : ""}${whole}${fraction}`), exponent: -fraction.length };
}

export function isSameDecimal(one: ExactDecimal, other: ExactDecimal): boolean {
  const exponent = Math.min(one.exponent, other.exponent);
  const scaled = (decimal: ExactDecimal) => decimal.digits * 10n ** BigInt(decimal.exponent - exponent);
  return scaled(one) === scaled(other);
}
