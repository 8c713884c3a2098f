import { vi } from "vitest";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Deletes a definition and creates it again with another uid, as `kubectl replace --force` does: with its annotations, or without. */
export async function replaceDefinition(
  api: ApiClient,
  definition: SampleDefinition,
  { annotated }: { annotated: boolean },
): Promise<void> {
  const { spec, metadata } = await definition.read();
  await api.delete(`${DEFINITIONS}/${definition.name}`);
  await definition.untilGone();
  await api.create(DEFINITIONS, {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", spec },
    metadata: { name: definition.name, ...(annotated && { annotations: metadata.annotations }) },
  });
  await vi.waitFor(() => api.get(definition.path("v1")), { timeout: 30_000 });
}
