import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import type { PatchStep, PlainPatchStep } from "#lib/domain/versions/patch-step.ts";

/** Annotation that keeps the last dropped conversion, for undo. */
export const DROPPED_ANNOTATION = "crdshift.dev/dropped-conversion";

/** Patch steps that replace the webhook with strategy None. */
export function dropConversionSteps(): PlainPatchStep[] {
  return [
    { op: "test", path: "/spec/conversion/strategy", value: "Webhook" },
    { op: "replace", path: "/spec/conversion", value: { strategy: "None" } },
  ];
}

/** Patch steps that put a conversion back unchanged. */
export function putBackConversionSteps(conversion: ExactJson): PatchStep[] {
  return [{ op: "add", path: "/spec/conversion", value: conversion }];
}

/** spec.conversion of a definition, exactly as the API server has it; undefined when it has none. */
export function conversionSpec(definition: ExactJson): ExactJson | undefined {
  return exactProperty(exactProperty(definition, "spec"), "conversion");
}
