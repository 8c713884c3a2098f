import { expect, test } from "vitest";
import { dropConversionSteps, putBackConversionSteps } from "#lib/domain/conversion/conversion-change.ts";
import { exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { areApplied } from "./applied-steps.ts";
import { annotationSteps, type PatchStep } from "./patch-step.ts";
import { addVersionSteps } from "./version-spec.ts";

const version = (name: string, more: object = {}) => ({ name, served: true, storage: false, ...more });
const definition = (versions: object[], more: object = {}, annotations?: object) =>
  exactJson({ metadata: { ...(annotations && { annotations }) }, spec: { versions, ...more } });

const two = definition([version("v1", { storage: true }), version("v1beta1")]);
const name = (index: number, value: string): PatchStep => ({ op: "test", path: `/spec/versions/${index}/name`, value });
const flip: PatchStep[] = [
  name(0, "v1"),
  { op: "replace", path: "/spec/versions/0/storage", value: false },
  name(1, "v1beta1"),
  { op: "replace", path: "/spec/versions/1/storage", value: true },
];
const flipped = definition([version("v1"), version("v1beta1", { storage: true })]);

test("changed flags are there, or are not, by the version's name", () => {
  expect(areApplied(flip, flipped)).toBe(true);
  expect(areApplied(flip, two)).toBe(false);
  expect(areApplied(flip, definition([version("v1beta1"), version("v1", { storage: true })]))).toBe(false);
});

test("a removed flag is gone", () => {
  const steps: PatchStep[] = [name(1, "v1beta1"), { op: "remove", path: "/spec/versions/1/deprecated" }];
  expect(areApplied(steps, two)).toBe(true);
  expect(areApplied(steps, definition([version("v1"), version("v1beta1", { deprecated: true })]))).toBe(false);
});

test("a removed version is gone, whatever is at its place, and its copy is kept", () => {
  const remove: PatchStep[] = [name(0, "v1"), { op: "remove", path: "/spec/versions/0" }];
  const steps = [...annotationSteps(two, "crdshift.dev/removed-version", "copy"), ...remove];
  const after = [version("v1beta1")];
  expect(areApplied(steps, definition(after, {}, { "crdshift.dev/removed-version": "copy", other: "text" }))).toBe(true);
  expect(areApplied(steps, definition(after, {}, { "crdshift.dev/removed-version": "another" }))).toBe(false);
  expect(areApplied(steps, two)).toBe(false);
  expect(areApplied(remove, definition([version("v2"), version("v1")]))).toBe(false);
});

test("an added version is there, also with what the API server filled in", () => {
  const steps = addVersionSteps({ name: "v1beta1", served: false, storage: false, schema: {} });
  expect(areApplied(steps, definition([version("v1"), { ...version("v1beta1"), served: false, schema: { filled: "in" } }]))).toBe(true);
  expect(areApplied(steps, two)).toBe(false);
  expect(areApplied(steps, definition([version("v1")]))).toBe(false);
});

test("a conversion was dropped, or put back as it was", () => {
  const webhook = exactJson({ strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"] } });
  const dropped = definition([version("v1")], { conversion: { strategy: "None" } });
  const kept = definition([version("v1")], { conversion: { webhook: { conversionReviewVersions: ["v1"] }, strategy: "Webhook" } });
  expect(areApplied(dropConversionSteps(), dropped)).toBe(true);
  expect(areApplied(dropConversionSteps(), kept)).toBe(false);
  expect(areApplied(putBackConversionSteps(webhook), kept)).toBe(true);
  expect(areApplied(putBackConversionSteps(webhook), dropped)).toBe(false);
});

test("a removed annotation is gone, also with the last one", () => {
  const had = definition([version("v1")], {}, { "crdshift.dev/dropped-conversion": "text" });
  const steps = annotationSteps(had, "crdshift.dev/dropped-conversion", null);
  expect(areApplied(steps, had)).toBe(false);
  expect(areApplied(steps, definition([version("v1")], {}, {}))).toBe(true);
  expect(areApplied(steps, definition([version("v1")]))).toBe(true);
});
