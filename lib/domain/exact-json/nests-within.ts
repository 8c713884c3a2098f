/** Deeper than any real definition; recursive walks of deeper values could overflow the stack. */
export const NESTING_MAX = 200;

/** Whether a value nests at most `levels` deep; false for cyclic values. */
export function nestsWithin(value: unknown, levels = NESTING_MAX): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.every((item) => nestsWithin(item, levels - 1));
}
