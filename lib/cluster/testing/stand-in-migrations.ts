import { vi } from "vitest";
import type { ApiClient, KubernetesObject } from "#lib/local-cluster/api-client.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** An API of StorageVersionMigrations that no controller stands behind: what one would write, the test writes. */
export interface StandInMigrations {
  create(name: string, resource: Pick<SampleDefinition, "group" | "plural">): Promise<void>;
  read(name: string): Promise<KubernetesObject>;
  names(): Promise<string[]>;
  /** Sets its conditions; those not named are gone. */
  say(name: string, ...conditions: { type: string; status?: "True" | "False"; message?: string }[]): Promise<void>;
}

/**
 * Serves `<group>/<version>` from a definition of its own on a cluster that does not serve that API itself, because it has no controller
 * for it. OpenShift's migration.k8s.io is a definition there, too.
 */
export async function standInMigrations(api: ApiClient, group: string, version: string): Promise<StandInMigrations> {
  const plural = "storageversionmigrations";
  const names = { plural, singular: "storageversionmigration", kind: "StorageVersionMigration", listKind: "StorageVersionMigrationList" };
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  await api.create(DEFINITIONS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    // Groups under k8s.io are taken only with this annotation.
    metadata: { name: `${plural}.${group}`, annotations: { "api-approved.kubernetes.io": "unapproved, a stand-in for tests" } },
    spec: {
      ...{ group, scope: "Cluster", names },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } }],
    },
  });
  const path = `/apis/${group}/${version}/${plural}`;
  await vi.waitFor(() => api.get(path), { timeout: 30_000 });
  return {
    async create(name, resource) {
      const spec = { resource: { group: resource.group, version: "v1", resource: resource.plural } };
      await api.create(path, { apiVersion: `${group}/${version}`, kind: "StorageVersionMigration", metadata: { name }, spec });
    },
    read: (name) => api.get(`${path}/${name}`),
    async names() {
      const { items } = await api.get<{ items: KubernetesObject[] }>(path);
      return items.map(({ metadata }) => metadata.name);
    },
    async say(name, ...conditions) {
      const lastTransitionTime = new Date().toISOString();
      const said = conditions.map(({ status = "True", message = "", type }) => ({
        type,
        status,
        message,
        lastTransitionTime,
        reason: type,
      }));
      await api.mergePatch(`${path}/${name}/status`, { status: { conditions: said } });
    },
  };
}
