import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import type { PatchStep } from "./patch-step.ts";

/** Annotation that keeps removed versions, for undo. */
export const REMOVED_ANNOTATION = "crdshift.dev/removed-version";

/** An entry of spec.versions, exactly as the API server has it. */
export type VersionSpec = { [key: string]: ExactJson; name: string };

/** Whether it has a name and a schema, or what else every entry has: definitions from before apiextensions.k8s.io/v1 may have no schemas. */
export function isVersionSpec(value: ExactJson): value is VersionSpec {
  if (!isExactObject(value) || typeof exactProperty(value, "name") !== "string") return false;
  const hasFlags = ["served", "storage"].every((flag) => typeof exactProperty(value, flag) === "boolean");
  return hasFlags || exactProperty(value, "schema") !== undefined;
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
