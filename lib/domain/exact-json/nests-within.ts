/** No definition of anybody's is nested so deep; what walks through one that is would run out of stack. */
export const NESTING_MAX = 200;

/** Whether a value is nested at most so many levels deep. One that holds itself never is. */
export function nestsWithin(value: unknown, levels = NESTING_MAX): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.every((item) => nestsWithin(item, levels - 1));
}
