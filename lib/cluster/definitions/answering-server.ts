import { z } from "zod";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isConversionFailure } from "#lib/cluster/transport/conversion-failures.ts";
import { pathSegment, requestJson } from "#lib/cluster/transport/request.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { haveSameObjects } from "./have-same-objects.ts";

/**
 * Who answers requests for a definition's served versions. `because` is a clause, and says what to do. `apiServices`: of those looked at, as
 * far as they can be read.
 */
export type AnsweringServer =
  | { kind: "definition"; apiServices: ApiServices }
  | { kind: "another"; because: string }
  | { kind: "unknown"; because: string; apiServices: ApiServices };

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
/** A definition may have thousands. */
const MOST_LOOKED_UP = 100;
/** With the first one. Each takes several requests, one after the other. */
const MOST_COMPARED = 50;
const CONCURRENCY = 8;

/**
 * Whether the API server itself answers requests for the served versions, from the definition's objects. An APIService with a service sends
 * them to another server, whose objects have nothing to do with those in etcd, and which may advertise the same storageVersionHash. Where
 * APIServices can't be read, the versions are compared: they have the same objects only if they come from the same etcd. Of many versions,
 * the first hundred are looked at, and that of storage; if all is well there, who answers for the others is unknown.
 * Source: https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 * @throws the errors of requests, but for a refusal that lasts.
 */
export async function answeringServer(connection: Connection, crd: Crd, signal: AbortSignal): Promise<AnsweringServer> {
  // That of storage is among those looked at: objects are listed and written there.
  const served = crd.versions.filter((version) => version.served).toSorted((one, other) => Number(other.storage) - Number(one.storage));
  const names = served.map(({ name }) => name);
  const answers = await registeredAll(connection, crd, names.slice(0, MOST_LOOKED_UP), signal);
  const another = answers.find((answer) => answer?.kind === "another");
  if (another) return another;
  if (answers.includes(null)) return compareVersions(connection, crd, names, signal);
  const apiServices = allOf(answers);
  if (names.length === answers.length) return { kind: "definition", apiServices };
  return { kind: "unknown", because: tooMany(crd, names.length, answers.length), apiServices };
}

function allOf(answers: readonly (AnsweringServer | null)[]): ApiServices {
  const found = answers.flatMap((answer) =>
    answer?.kind === "definition" && typeof answer.apiServices === "object" ? [answer.apiServices] : [],
  );
  if (found.length < answers.length) return "missing";
  return { state: found.map((one) => one.state).join(), ageMs: Math.min(...found.map((one) => one.ageMs)) };
}

/** What the APIServices of these versions say, in their order, or of fewer if one names another server. */
async function registeredAll(
  connection: Connection,
  crd: Crd,
  versions: readonly string[],
  signal: AbortSignal,
): Promise<(AnsweringServer | null)[]> {
  const answers: (AnsweringServer | null)[] = [];
  let isOver = false;
  const untilOver = (function* () {
    for (const entry of versions.entries()) {
      if (isOver) return;
      yield entry;
    }
  })();
  await forEachConcurrently(untilOver, { concurrency: CONCURRENCY, signal }, async ([index, version]) => {
    const answer = await registered(connection, crd, version, signal);
    answers[index] = answer;
    if (answer?.kind === "another") isOver = true;
  });
  return answers;
}

function tooMany({ name }: Crd, served: number, looked: number): string {
  return (
    `${name} has ${formatCount(served)} served versions, and crdshift looked at ${looked} of them, so it can't tell whether another server ` +
    "answers requests for the others. Set served: false for those that nobody uses."
  );
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
async function compareVersions(connection: Connection, crd: Crd, served: readonly string[], signal: AbortSignal): Promise<AnsweringServer> {
  const [first = "", ...others] = served.slice(0, MOST_COMPARED);
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
  const areAllCompared = others.length > 0 && compared === others.length;
  if (areAllCompared && served.length > MOST_COMPARED)
    return { kind: "unknown", because: tooMany(crd, served.length, MOST_COMPARED), apiServices: "unread" };
  if (areAllCompared) return { kind: "definition", apiServices: "unread" };
  const because =
    `crdshift may not read the APIServices of ${crd.group}, so it can't tell whether another server answers requests for its versions. ` +
    "Ask for a role that may get apiservices.apiregistration.k8s.io.";
  return { kind: "unknown", because, apiServices: "unread" };
}

/** Conversion may fail, or hang, at one version, and a role may allow only lists. Any other error is the next request's, too. */
function isAboutComparing(error: unknown): boolean {
  const answer = clusterAnswer(error);
  if (answer === null) return isAppError(error) && error.code === "cluster_timeout";
  return isConversionFailure(answer) || answer.status === 404 || (answer.status === 403 && !answer.isEarlyDenial);
}
