import { expect, test } from "vitest";
import { type ExactJson, exactJson, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { isSameDuration, isSameQuantity, isSameTime, isSameValue } from "./is-same-value.ts";

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
  ["1000m", "1", text],
  ["00012m", "12m", text],
  ["5m", "0.005", text],
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

test.each([
  ["1000m", "1"],
  ["0.5", "500m"],
  ["1Gi", "1024Mi"],
  ["1.5Gi", "1536Mi"],
  ["1Gi", "1073741824"],
  ["1k", "1e3"],
  ["1M", "1000k"],
  ["1E", "1000P"],
  ["1n", "1e-9"],
  ["1000000u", "1"],
  ["-1000m", "-1"],
  ["+1000m", "1"],
  ["1.0Gi", "1Gi"],
  ["1.Gi", "1Gi"],
  [".5Gi", "512Mi"],
  ["0", "0Gi"],
  ["9223372036854775808k", "9223372036854775808000"],
])("%s and %s are the same quantity", (one, other) => {
  expect(isSameQuantity(one, other)).toBe(true);
  expect(isSameQuantity(other, one)).toBe(true);
});

test.each([
  ["1Gi", "1G"],
  ["1000m", "1.0000000000000000001"],
  ["9007199254740993k", "9007199254740992000"],
  ["1m", "1M"],
  ["-1k", "1000"],
  ["0.1n", "1n"],
])("%s and %s are not", (one, other) => {
  expect(isSameQuantity(one, other)).toBe(false);
  expect(isSameQuantity(other, one)).toBe(false);
});

test.each([
  ["1e3", "1000"],
  ["1.10", "1.1"],
  ["1.0", "1"],
  ["007", "7"],
  ["+1", "1"],
  ["1E3", "1e3"],
])("%s and %s may be versions, names or hashes: without a unit they are not the same", (one, other) => {
  expect(isSameQuantity(one, other)).toBe(false);
});

test.each(["1K", "1ki", "Gi", "", ".", "1 Gi", "1Gi ", "1e", "1e1.5", "1e9999k", "0x10", "1_000", "1constructor", `${"9".repeat(100)}k`])(
  "%j is no quantity",
  (text) => {
    for (const other of ["1", "1k", "0k", "1024k", "16", text]) expect(isSameQuantity(text, other)).toBe(false);
  },
);

test("an exponent that no number has is no quantity, and takes no time", () => {
  for (const text of ["1e999999999", "1e-999999999", "1E1000"]) expect(isSameQuantity(text, "1k")).toBe(false);
});

test.each([
  ["90s", "1m30s"],
  ["1h", "60m"],
  ["10m", "10m0s"],
  ["1.5h", "1h30m0s"],
  [".5s", "500ms"],
  ["5.s", "5s"],
  ["1us", "1µs"],
  ["1μs", "1000ns"],
  ["-90s", "-1m30s"],
  ["+1s", "1s"],
  ["0", "0s"],
  ["0h", "-0s"],
  ["2562047h47m16.854775807s", "9223372036854775807ns"],
])("%s and %s are the same duration", (one, other) => {
  expect(isSameDuration(one, other)).toBe(true);
  expect(isSameDuration(other, one)).toBe(true);
});

test.each([
  ["90s", "1m31s"],
  ["1m", "1M"],
  ["1s", "-1s"],
  ["0.1ns", "0s"],
  ["1", "1s"],
  ["0", "0"],
  ["00", "0s"],
  ["010m", "10m"],
  ["1h05m", "1h5m"],
  ["", "0s"],
  ["1d", "24h"],
  ["1h 30m", "90m"],
  ["1h-30m", "30m"],
  ["s", "0s"],
  [".s", "0s"],
  ["1..5s", "1.5s"],
  ["1 s", "1s"],
  ["2562047h47m16.854775808s", "9223372036854775808ns"],
  [`${"0".repeat(200)}1s`, "1s"],
  ["1constructor", "1s"],
])("%s and %s are not", (one, other) => {
  expect(isSameDuration(one, other)).toBe(false);
  expect(isSameDuration(other, one)).toBe(false);
});
