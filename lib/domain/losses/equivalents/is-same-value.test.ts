import { expect, test } from "vitest";
import { type ExactJson, exactJson, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { isSameTime, isSameValue } from "./is-same-value.ts";

const text = { type: "string" };
const quantity = {
  "x-kubernetes-int-or-string": true,
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern: "^[0-9]+[mkMG]?$",
};
const same = (one: ExactJson, other: ExactJson, schema: object | undefined) =>
  isSameValue(one, other, schema === undefined ? undefined : exactJson(schema));

test.each([
  ["90s", "1m30s", text],
  ["90s", "1m30s", { ...text, format: "duration" }],
  ["1000m", "1", text],
  ["1000m", "1", quantity],
  ["2026-01-02T12:00:00Z", "2026-01-02T13:00:00+01:00", text],
  ["2026-01-02T12:00:00Z", "2026-01-02T13:00:00+01:00", { ...text, format: "date-time" }],
])("%s and %s of a field %o are the same value", (one, other, schema) => {
  expect(same(one, other, schema)).toBe(true);
});

test.each<[string, string, object | undefined]>([
  ["90s", "1m30s", undefined],
  ["90s", "1m30s", {}],
  ["90s", "1m30s", { "x-kubernetes-preserve-unknown-fields": true }],
  ["90s", "1m30s", { ...text, enum: ["90s", "1m30s"] }],
  ["90s", "1m30s", { ...text, pattern: "^[0-9]+m?[0-9]*s$" }],
  ["90s", "1m30s", { ...text, anyOf: [{ enum: ["90s"] }] }],
  ["90s", "1m30s", { ...text, format: "byte" }],
  ["90s", "1m30s", quantity],
  ["1000m", "1", { ...text, format: "duration" }],
  ["1000m", "1", { ...quantity, enum: ["1000m", "1"] }],
  ["1e3", "1000", text],
  ["1e3", "1000", quantity],
  ["1.10", "1.1", text],
  ["90s", "91s", text],
])("%s and %s of a field %o are not", (one, other, schema) => {
  expect(same(one, other, schema)).toBe(false);
});

test("only strings are the same written otherwise", () => {
  expect(same(parseExactJson("1"), "1000m", quantity)).toBe(false);
  expect(same("1000m", parseExactJson("1"), quantity)).toBe(false);
  expect(same(parseExactJson("1"), parseExactJson("1.0"), { type: "number" })).toBe(false);
  expect(same(null, "0s", text)).toBe(false);
});

test.each([
  ["2026-01-02T12:00:00Z", "2026-01-02T13:00:00+01:00"],
  ["2026-01-02T12:00:00Z", "2026-01-02T12:00:00.000Z"],
  ["2026-01-02T12:00:00.120Z", "2026-01-02T12:00:00.12+00:00"],
  ["2026-01-01T01:30:00+05:30", "2025-12-31T20:00:00Z"],
  ["2024-02-29T00:00:00Z", "2024-02-28T19:00:00-05:00"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.0Z"],
])("%s and %s are the same time", (one, other) => {
  expect(isSameTime(one, other)).toBe(true);
  expect(isSameTime(other, one)).toBe(true);
});

test.each([
  ["2026-01-02T12:00:00Z", "2026-01-02T12:00:01Z"],
  ["2026-01-02T12:00:00.5Z", "2026-01-02T12:00:00Z"],
  ["2026-01-02T12:00:00.0001Z", "2026-01-02T12:00:00.0002Z"],
  ["2026-01-02T12:00:00Z", "2026-01-02T12:00:00"],
  ["2026-01-02T12:00:00Z", "2026-01-02 12:00:00Z"],
  ["2026-01-02", "2026-01-02T00:00:00Z"],
  ["2025-02-29T00:00:00Z", "2025-03-01T00:00:00Z"],
  ["2026-01-01T24:00:00Z", "2026-01-02T00:00:00Z"],
  ["2026-01-01T00:00:60Z", "2026-01-01T00:01:00Z"],
  ["2026-01-01T00:00:00+24:00", "2025-12-31T00:00:00Z"],
  ["2026-01-01t00:00:00z", "2026-01-01T00:00:00Z"],
])("%s and %s are not", (one, other) => {
  expect(isSameTime(one, other)).toBe(false);
  expect(isSameTime(other, one)).toBe(false);
});
