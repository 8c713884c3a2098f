import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import type { PatchStep } from "./patch-step.ts";

/** Annotation that keeps removed versions, for undo. */
export const REMOVED_ANNOTATION = "crdshift.dev/removed-version";

/** An entry of spec.versions with its schema, exactly as the API server has it. */
export type VersionSpec = { [key: string]: ExactJson; name: string };

export function isVersionSpec(value: ExactJson): value is VersionSpec {
  return isExactObject(value) && typeof exactProperty(value, "name") === "string" && exactProperty(value, "schema") !== undefined;
}

/** The entry of spec.versions with this name; null when there is none. */
export function versionSpec(definition: ExactJson, name: string): VersionSpec | null {
  return versionSpecs(definition).find((version) => version.name === name) ?? null;
}

/** The entries of spec.versions. */
export function versionSpecs(definition: ExactJson): VersionSpec[] {
  const versions = exactProperty(exactProperty(definition, "spec"), "versions");
  return Array.isArray(versions) ? versions.filter(isVersionSpec) : [];
}

/** The steps that add a version at the end of spec.versions, whose order means nothing. */
export function addVersionSteps(spec: VersionSpec): PatchStep[] {
  return [{ op: "add", path: "/spec/versions/-", value: spec }];
}
