import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer, isConversionFailure } from "#lib/cluster/transport/errors.ts";
import { pathSegment, requestJson } from "#lib/cluster/transport/request.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { exactProperty } from "#lib/domain/exact-json/exact-json.ts";

/** Who answers requests for a version of a definition. `because` completes a sentence, and says what to do. */
export type AnsweringServer = { kind: "definition" } | { kind: "another"; because: string } | { kind: "unknown"; because: string };

const apiServiceSchema = z.object({
  spec: z.object({ service: z.object({ namespace: z.string().default(""), name: z.string().default("") }).nullish() }),
});
/** For objects that come and go meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * Whether the API server itself answers requests for a version, from the definition's objects. An APIService with a service sends them to
 * another server, whose objects have nothing to do with those in etcd, and which may advertise the same storageVersionHash. Where it can't
 * be read, two versions are compared: they have the same objects only if they come from the same etcd.
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
    return (await compareVersions(connection, crd, version, signal)) ?? unknown(name, version);
  }
}

function unknown(name: string, version: string): AnsweringServer {
  const because =
    `crdshift may not read the APIService ${name}, so it can't tell whether another server answers requests for ${version}. ` +
    "Ask for a role that may get apiservices.apiregistration.k8s.io.";
  return { kind: "unknown", because };
}

/**
 * Whether an object that is listed at one version is found at another by its name and uid; null if no two versions can be compared. An
 * object that was just created or deleted is looked for again.
 */
async function compareVersions(connection: Connection, crd: Crd, version: string, signal: AbortSignal): Promise<AnsweringServer | null> {
  const different: string[] = [];
  for (const other of otherServedVersions(crd, version)) {
    const found = await haveSameObjects(connection, crd, [version, other], signal).catch((error: unknown) => {
      if (isAboutComparing(error)) return null;
      throw error;
    });
    if (found) return { kind: "definition" };
    if (found === false) different.push(other);
  }
  const [first] = different;
  if (first === undefined) return null;
  const because =
    `${version} and ${first} show different objects, so another server answers for one of them. Look at kubectl get apiservice ` +
    `${version}.${crd.group} ${first}.${crd.group}, delete the one that names a service, then retry.`;
  return { kind: "another", because };
}

async function haveSameObjects(
  connection: Connection,
  crd: Crd,
  [version, other]: readonly [string, string],
  signal: AbortSignal,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const found =
      (await isFirstFound(connection, crd, [other, version], signal)) ?? (await isFirstFound(connection, crd, [version, other], signal));
    // Neither has any object.
    if (found ?? true) return true;
    if (attempt === MAX_ATTEMPTS) return false;
  }
}

/** Whether the first object that is listed at one version is found at the other; null if none is listed. */
async function isFirstFound(
  connection: Connection,
  crd: Crd,
  [listed, found]: readonly [string, string],
  signal: AbortSignal,
): Promise<boolean | null> {
  const { objects } = await listObjects(connection, crd, { version: listed, limit: 1, signal });
  const [first] = objects;
  if (first === undefined) return null;
  try {
    const there = await readObjectMetadata(connection, crd, found, first, { signal });
    return exactProperty(exactProperty(there, "metadata"), "uid") === first.uid;
  } catch (error) {
    if (clusterAnswer(error)?.status === 404) return false;
    throw error;
  }
}

/** Conversion may fail, or hang, at one version, and a role may allow only lists. Any other error is the next request's, too. */
function isAboutComparing(error: unknown): boolean {
  const answer = clusterAnswer(error);
  if (answer === null) return isAppError(error) && error.code === "cluster_timeout";
  return isConversionFailure(answer) || answer.status === 404 || (answer.status === 403 && !answer.isEarlyDenial);
}
