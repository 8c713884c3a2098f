import { expect } from "vitest";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { EtcdChange } from "./etcd-history.ts";

interface DefinitionValue {
  status?: { storedVersions?: string[] };
}
interface ObjectValue {
  apiVersion: string;
  metadata: { managedFields?: { manager?: string }[] };
}

/**
 * The promise over all faults, judged from etcd's history: at no revision is an object stored in a version that status.storedVersions
 * does not list, and no object was created by crdshift.
 */
export function expectSound(changes: readonly EtcdChange[], definition: Pick<SampleDefinition, "name" | "group" | "plural">): void {
  const definitionKey = `/registry/apiextensions.k8s.io/customresourcedefinitions/${definition.name}`;
  const objectPrefix = `/registry/${definition.group}/${definition.plural}/`;
  const stored = new Map<string, string>();
  const violations: string[] = [];
  let listed: string[] | null = null;

  const check = (key: string, revision: bigint) => {
    const version = stored.get(key);
    if (listed && version !== undefined && !listed.includes(version))
      violations.push(`revision ${revision}: ${key} is stored as ${version}, and storedVersions is ${listed}`);
  };
  for (const { key, text, revision, created } of changes) {
    if (key === definitionKey) {
      // Parsed only here: what a test reads of it is its own affair.
      listed = text === null ? null : ((JSON.parse(text) as DefinitionValue).status?.storedVersions ?? null);
      for (const object of stored.keys()) check(object, revision);
    } else if (key.startsWith(objectPrefix)) {
      if (text === null) {
        stored.delete(key);
        continue;
      }
      const { apiVersion, metadata } = JSON.parse(text) as ObjectValue;
      stored.set(key, apiVersion.slice(apiVersion.lastIndexOf("/") + 1));
      check(key, revision);
      const byUs = metadata.managedFields?.some(({ manager }) => manager === "crdshift");
      if (created && byUs) violations.push(`revision ${revision}: ${key} was created by crdshift`);
    }
  }
  expect(violations).toEqual([]);
  // An oracle that saw nothing proves nothing.
  expect(changes.some(({ key }) => key === definitionKey)).toBe(true);
}
