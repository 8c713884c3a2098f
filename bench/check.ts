import { number } from "./report/statistics.ts";

/** What a figure must be, and whether it is. */
export interface Check {
  name: string;
  value: number;
  relation: ">=" | "<=" | "<";
  bound: number;
}

/** NaN, which says that nothing was measured, never passes. */
export function passes({ value, relation, bound }: Check): boolean {
  switch (relation) {
    case ">=":
      return value >= bound;
    case "<=":
      return value <= bound;
    case "<":
      return value < bound;
  }
}

/** The check with its figure, as one line. */
export function checkLine(check: Check): string {
  return `${passes(check) ? "ok" : "FAILED"}: ${check.name}: ${number(check.value, 2)} (${check.relation} ${number(check.bound, 1)})`;
}
