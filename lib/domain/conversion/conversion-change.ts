import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import type { PatchStep, PlainPatchStep } from "#lib/domain/versions/version-change.ts";

/** Where crdshift keeps the conversion that it dropped last, for its undo. */
export const DROPPED_ANNOTATION = "crdshift.dev/dropped-conversion";

/** The steps that let the API server convert by itself, without the webhook that there is now. */
export function dropConversionSteps(): PlainPatchStep[] {
  return [
    { op: "test", path: "/spec/conversion/strategy", value: "Webhook" },
    { op: "replace", path: "/spec/conversion", value: { strategy: "None" } },
  ];
}

/** The steps that put a conversion back as it was. */
export function putBackConversionSteps(conversion: ExactJson): PatchStep[] {
  return [{ op: "add", path: "/spec/conversion", value: conversion }];
}

/** spec.conversion of a definition, exactly as the API server has it; undefined when it has none. */
export function conversionSpec(definition: ExactJson): ExactJson | undefined {
  return exactProperty(exactProperty(definition, "spec"), "conversion");
}
