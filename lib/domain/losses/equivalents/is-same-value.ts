import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { isSameDuration } from "./is-same-duration.ts";
import { isSameQuantity } from "./is-same-quantity.ts";

/** What the API server checks a string against; where any is set, the way it is written may matter. */
const SPELLED_OUT = ["enum", "pattern", "allOf", "anyOf", "oneOf", "not"];

/**
 * Whether two different values of a field are the same value written otherwise: as Go durations, quantities, or times. A real change must
 * never pass for one, so it demands all of this:
 * - Both are strings. A number that became a string is another value.
 * - The schema has the field, as a string with neither enum, pattern nor a format of something else, or as int-or-string, which is how
 *   quantities are declared (with a pattern of their own). Without a schema, nobody knows what the text is.
 * - At least one of two durations or quantities has a unit (see there): `1.10` and `1.1` may be versions, `1e3` and `1000` hashes.
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
  return isSameDuration(before, after) || isSameQuantity(before, after) || isSameTime(before, after);
}

const RFC_3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const MAX_LENGTH = 64;

/** The instant as text with a fraction of any precision; null for anything but an RFC 3339 time as Go reads it. */
function instant(text: string): string | null {
  const match = text.length > MAX_LENGTH ? null : RFC_3339.exec(text);
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
