import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { collectionPath } from "#lib/cluster/objects/custom-objects.ts";
import { LIST_AS_METADATA } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { pathSegment, requestJson } from "#lib/cluster/transport/request.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";

/** Who answers requests for a version of a definition. `because` completes a sentence, and says what to do. */
export type AnsweringServer = { kind: "definition" } | { kind: "another"; because: string } | { kind: "unknown"; because: string };

const apiServiceSchema = z.object({
  spec: z.object({ service: z.object({ namespace: z.string().default(""), name: z.string().default("") }).nullish() }),
});
const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), remainingItemCount: z.int().optional() }),
  items: z.array(z.object({ metadata: z.object({ uid: z.string().default("") }) })).nullish(),
});

/**
 * Whether the API server itself answers requests for a version, from the definition's objects. An APIService with a service sends them to
 * another server, whose objects have nothing to do with those in etcd, and which may advertise the same storageVersionHash. Where it can't
 * be read, lists at two versions are compared: they show the same objects only if they come from the same etcd.
 * Source: https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 * @throws the errors of requests, but for a refusal that lasts.
 */
export async function answeringServer(connection: Connection, crd: Crd, version: string, signal: AbortSignal): Promise<AnsweringServer> {
  const name = `${version}.${crd.group}`;
  try {
    const { json } = await requestJson(connection, { path: `/apis/apiregistration.k8s.io/v1/apiservices/${pathSegment(name)}`, signal });
    const { service } = apiServiceSchema.parse(json).spec;
    if (!service) return { kind: "definition" };
    const because =
      `the APIService ${name} sends requests for ${version} to the service ${service.namespace}/${service.name}: what they show and change ` +
      "are that server's objects, not the definition's. Delete the APIService, or move that server to another group, then retry.";
    return { kind: "another", because };
  } catch (error) {
    const answer = clusterAnswer(error);
    // Without one, or without aggregation, nothing stands in front of the definition.
    if (answer?.status === 404) return { kind: "definition" };
    if (answer?.status !== 403 || answer.isEarlyDenial) throw error;
    return (await compareLists(connection, crd, version, signal)) ?? unknown(name, version);
  }
}

function unknown(name: string, version: string): AnsweringServer {
  const because =
    `crdshift may not read the APIService ${name}, so it can't tell whether another server answers requests for ${version}. ` +
    "Ask for a role that may get apiservices.apiregistration.k8s.io.";
  return { kind: "unknown", because };
}

/** Null if no two versions can be listed at the same resourceVersion. */
async function compareLists(connection: Connection, crd: Crd, version: string, signal: AbortSignal): Promise<AnsweringServer | null> {
  const list = (which: { version: string; exactly?: string }) =>
    listedAt(connection, crd, { ...which, signal }).catch((error: unknown) => {
      // Conversion may fail, or the resourceVersion be compacted.
      if (clusterAnswer(error) === null) throw error;
      return null;
    });
  const first = await list({ version });
  if (first === null) return null;
  for (const other of otherServedVersions(crd, version)) {
    const there = await list({ version: other, exactly: first.resourceVersion });
    if (there === null) continue;
    if (there.uid === first.uid && there.objects === first.objects) return { kind: "definition" };
    const because =
      `lists at ${version} and ${other} show different objects at the same resourceVersion, so another server answers one of them. Look at ` +
      `kubectl get apiservice ${version}.${crd.group} ${other}.${crd.group}, delete the one that names a service, then retry.`;
    return { kind: "another", because };
  }
  return null;
}

async function listedAt(
  connection: Connection,
  crd: Crd,
  { version, exactly, signal }: { version: string; exactly?: string; signal: AbortSignal },
): Promise<{ resourceVersion: string; uid: string | null; objects: number }> {
  const query = new URLSearchParams({ limit: "1", ...(exactly && { resourceVersion: exactly, resourceVersionMatch: "Exact" }) });
  const { json } = await requestJson(connection, { path: `${collectionPath(crd, version)}?${query}`, accept: LIST_AS_METADATA, signal });
  const { metadata, items } = listSchema.parse(json);
  const [object] = items ?? [];
  return {
    resourceVersion: metadata.resourceVersion,
    uid: object?.metadata.uid ?? null,
    objects: (items?.length ?? 0) + (metadata.remainingItemCount ?? 0),
  };
}
