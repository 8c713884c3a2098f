import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer, isConversionFailure } from "#lib/cluster/transport/errors.ts";
import { pathSegment, requestJson } from "#lib/cluster/transport/request.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { exactProperty } from "#lib/domain/exact-json/exact-json.ts";

/** Who answers requests for a definition's served versions. `because` is a clause, and says what to do. */
export type AnsweringServer =
  | { kind: "definition"; apiServices: ApiServices }
  | { kind: "another"; because: string }
  | { kind: "unknown"; because: string };

/**
 * The state of these versions' APIServices, as a text that differs after any change, and how long ago one last changed, by the server's
 * clock: the API server may take a while to heed that. Or one is missing, or they can't be read.
 */
export type ApiServices = { state: string; ageMs: number } | "missing" | "unread";

const apiServiceSchema = z.object({
  metadata: z.object({
    uid: z.string(),
    resourceVersion: z.string(),
    creationTimestamp: z.string(),
    managedFields: z.array(z.object({ time: z.string().optional() })).default([]),
  }),
  spec: z.object({ service: z.object({ namespace: z.string().default(""), name: z.string().default("") }).nullish() }),
});
/** For objects that come and go meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * Whether the API server itself answers requests for the served versions, from the definition's objects. An APIService with a service sends
 * them to another server, whose objects have nothing to do with those in etcd, and which may advertise the same storageVersionHash. Where
 * APIServices can't be read, the versions are compared: they have the same objects only if they come from the same etcd.
 * Source: https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 * @throws the errors of requests, but for a refusal that lasts.
 */
export async function answeringServer(connection: Connection, crd: Crd, signal: AbortSignal): Promise<AnsweringServer> {
  const served = crd.versions.filter((version) => version.served).map(({ name }) => name);
  const answers = await Promise.all(served.map((version) => registered(connection, crd, version, signal)));
  const another = answers.find((answer) => answer?.kind === "another");
  if (another) return another;
  if (answers.includes(null)) return compareVersions(connection, crd, served, signal);
  const found = answers.flatMap((answer) =>
    answer?.kind === "definition" && typeof answer.apiServices === "object" ? [answer.apiServices] : [],
  );
  if (found.length < answers.length) return { kind: "definition", apiServices: "missing" };
  const state = found.map((one) => one.state).join();
  return { kind: "definition", apiServices: { state, ageMs: Math.min(...found.map((one) => one.ageMs)) } };
}

/** What the APIService of a version says; null if it can't be read. */
async function registered(connection: Connection, crd: Crd, version: string, signal: AbortSignal): Promise<AnsweringServer | null> {
  const name = `${version}.${crd.group}`;
  try {
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${pathSegment(name)}`;
    const { json, serverTime } = await requestJson(connection, { path, signal });
    const { metadata, spec } = apiServiceSchema.parse(json);
    if (!spec.service) {
      // Those of the status, too: whoever takes the service out of the spec leaves no time there, and the API server then writes the status.
      const edits = metadata.managedFields.map(({ time }) => Date.parse(time ?? ""));
      const changedAt = Math.max(...[Date.parse(metadata.creationTimestamp), ...edits].filter((at) => !Number.isNaN(at)));
      const state = `${metadata.uid} ${metadata.resourceVersion}`;
      return { kind: "definition", apiServices: { state, ageMs: Math.max(0, (serverTime ?? Date.now()) - changedAt) } };
    }
    const because =
      `the APIService ${name} sends requests for ${version} to the service ${spec.service.namespace}/${spec.service.name}: what they show and ` +
      "change are that server's objects, not the definition's. Delete the APIService, or move that server to another group, then retry.";
    return { kind: "another", because };
  } catch (error) {
    const answer = clusterAnswer(error);
    // The API server makes one for each served version, so it will be there soon.
    if (answer?.status === 404 && answer.name === name) return { kind: "definition", apiServices: "missing" };
    // Not served there, or not let through.
    if (answer?.status === 404 || (answer?.status === 403 && !answer.isEarlyDenial)) return null;
    throw error;
  }
}

/** Whether all served versions have the same objects: an object that is listed at one is found at another by its name and uid. */
async function compareVersions(
  connection: Connection,
  crd: Crd,
  [first = "", ...others]: readonly string[],
  signal: AbortSignal,
): Promise<AnsweringServer> {
  let compared = 0;
  for (const other of others) {
    const found = await haveSameObjects(connection, crd, [first, other], signal).catch((error: unknown) => {
      if (isAboutComparing(error)) return null;
      throw error;
    });
    if (found === false) {
      const because =
        `${first} and ${other} show different objects, so another server answers for one of them. Look at kubectl get apiservice ` +
        `${first}.${crd.group} ${other}.${crd.group}, delete the one that names a service, then retry.`;
      return { kind: "another", because };
    }
    if (found) compared += 1;
  }
  if (others.length > 0 && compared === others.length) return { kind: "definition", apiServices: "unread" };
  const because =
    `crdshift may not read the APIServices of ${crd.group}, so it can't tell whether another server answers requests for its versions. ` +
    "Ask for a role that may get apiservices.apiregistration.k8s.io.";
  return { kind: "unknown", because };
}

/** Null if objects come and go too fast to tell. */
async function haveSameObjects(
  connection: Connection,
  crd: Crd,
  [version, other]: readonly [string, string],
  signal: AbortSignal,
): Promise<boolean | null> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    for (const [listed, found] of [
      [other, version],
      [version, other],
    ] as const) {
      const first = await isFirstFound(connection, crd, [listed, found], signal);
      if (first === "found" || first === "missing") return first === "found";
      if (first === "moved") break;
      // Neither has any object.
      if (listed === version) return true;
    }
  }
  return null;
}

/** Whether the first object that is listed at one version, if any, is found at the other; or whether it is gone meanwhile. */
async function isFirstFound(
  connection: Connection,
  crd: Crd,
  [listed, found]: readonly [string, string],
  signal: AbortSignal,
): Promise<"found" | "missing" | "moved" | "none"> {
  const { objects } = await listObjects(connection, crd, { version: listed, limit: 1, signal });
  const [first] = objects;
  if (first === undefined) return "none";
  const isAt = async (version: string) => {
    try {
      const now = await readObjectMetadata(connection, crd, version, first, { signal });
      return exactProperty(exactProperty(now, "metadata"), "uid") === first.uid;
    } catch (error) {
      if (clusterAnswer(error)?.status === 404) return false;
      throw error;
    }
  };
  if (await isAt(found)) return "found";
  return (await isAt(listed)) ? "missing" : "moved";
}

/** Conversion may fail, or hang, at one version, and a role may allow only lists. Any other error is the next request's, too. */
function isAboutComparing(error: unknown): boolean {
  const answer = clusterAnswer(error);
  if (answer === null) return isAppError(error) && error.code === "cluster_timeout";
  return isConversionFailure(answer) || answer.status === 404 || (answer.status === 403 && !answer.isEarlyDenial);
}
