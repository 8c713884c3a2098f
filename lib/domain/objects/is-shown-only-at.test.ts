import { expect, test } from "vitest";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { isShownOnlyAt } from "./is-shown-only-at.ts";

type Fields = Record<string, ExactJson>;
const object = (properties: Fields, more: Fields = {}): ExactJson => ({ type: "object", properties, ...more });
const root = (spec: ExactJson) => object({ spec, status: object({}) });
const size = { type: "integer" };
const v1 = root(object({ size, mode: { type: "string" }, ports: { type: "array", items: object({ name: {}, protocol: {} }) } }));
const v1beta1 = root(object({ size, ports: { type: "array", items: object({ name: {} }) } }));

test.each<[string, Fields, boolean]>([
  ["a field that the other version lacks", { spec: { mode: "auto" } }, true],
  ["one in the items of a list", { spec: { ports: [{ name: "a" }, { protocol: "TCP" }] } }, true],
  ["only fields that it has, too", { spec: { size: "1", ports: [{ name: "a" }] } }, false],
  ["nothing there", { spec: { mode: null } }, false],
  ["only such in its status or metadata", { metadata: { mode: "auto" }, status: { mode: "auto" } }, false],
])("an object with %s", (_, shown, expected) => {
  expect(isShownOnlyAt({ apiVersion: "example.com/v1", kind: "Widget", ...shown }, v1, [v1beta1])).toBe(expected);
});

// What a status holds after a write, that write may have stored.
test("an object that only its status tells of, as it was read before any write", () => {
  const asRead = (withStatus: boolean) =>
    isShownOnlyAt({ metadata: { mode: "auto" }, status: { mode: "auto" } }, v1, [v1beta1], { withStatus });
  expect([asRead(true), asRead(false)]).toEqual([true, false]);
  expect(isShownOnlyAt({ metadata: { mode: "auto" } }, v1, [v1beta1], { withStatus: true })).toBe(false);
});

const shown = { spec: { mode: "auto" } };
test.each([
  ["keeps what no schema lists", root(object({ size }, { "x-kubernetes-preserve-unknown-fields": true }))],
  ["is a map of anything", root({ type: "object", additionalProperties: { type: "string" } })],
  ["forbids others only by validation", root({ type: "object", additionalProperties: false })],
  ["has the field, too", root(object({ mode: { type: "string" } }))],
  ["isn't known", undefined],
])("one of whose other versions %s may have been stored there", (_, other) => {
  expect(isShownOnlyAt(shown, v1, [v1beta1, other])).toBe(false);
  expect(isShownOnlyAt(shown, v1, [v1beta1])).toBe(true);
});

// skipPrune in pruning/algorithm.go.
test("what a list keeps in its items may have been stored anywhere", () => {
  const listed = { spec: { ports: [{ name: "a", protocol: "TCP" }] } };
  const keeping = root(object({ ports: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: object({ name: {} }) } }));
  expect([isShownOnlyAt(listed, v1, [keeping]), isShownOnlyAt(listed, v1, [v1beta1])]).toEqual([false, true]);
});

test("what an embedded resource has of every object may have been stored anywhere", () => {
  const embedded = (properties: Fields) => root(object({ template: object(properties, { "x-kubernetes-embedded-resource": true }) }));
  const labeled = { spec: { template: { metadata: { labels: { a: "b" } } } } };
  expect(isShownOnlyAt(labeled, embedded({ metadata: object({}) }), [embedded({})])).toBe(false);
});
