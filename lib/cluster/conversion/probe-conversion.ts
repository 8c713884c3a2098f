import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { OBJECT_AS_METADATA } from "#lib/cluster/objects/custom-objects.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { objectPath } from "#lib/cluster/objects/object-path.ts";
import { whyUnaddressable } from "#lib/cluster/objects/why-unaddressable.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { ConversionProbe } from "#lib/contract/definition/conversion.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { versionPriorityOrder } from "#lib/domain/versions/version-priority.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

type Probed = ConversionProbe["versions"][number];

const PROBE_TIMEOUT_MS = 10_000;
/** A definition may have thousands. */
const MOST_VERSIONS = 50;
/** At a time. A webhook that hangs holds each of them for ten seconds, with its connection to the API server. */
const MOST_ASKED = { ofPerson: 8, inAll: 16 };
const TIMED_OUT = "No answer within 10 s. The API server itself waits up to 30 s for a conversion webhook.";

interface ProbeOptions {
  signal: AbortSignal;
  /** The run that makes the probe. */
  runId?: string | undefined;
  /** Who asks, and takes turns with others; by default whose connection it is. */
  person?: string;
}

/**
 * Reads one object at every served version, up to the first fifty in priority order: first with a list of one, then by name, since the API server may answer lists from a
 * cache of converted objects (apiserver/pkg/storage/cacher). Writes nothing.
 */
export async function probeConversion(connection: Connection, crd: Crd, options: ProbeOptions): Promise<ConversionProbe> {
  const { signal, runId, person = connection.person() } = options;
  const turns = processWide("conversion-probes", () => noTurns(MOST_ASKED.inAll, { leavesHalf: true }));
  const inOurTurn = <Answer>(ask: () => Promise<Answer>) => inTurn(turns, { person, mostAtWork: MOST_ASKED.ofPerson }, signal, ask);
  const of = runId === undefined ? {} : { runId };
  const served = versionPriorityOrder(crd.versions).filter((version) => version.served);
  const lists = await each(served.slice(0, MOST_VERSIONS), signal, ({ name }) =>
    inOurTurn(() => listOne(connection, crd, name, signal, of)),
  );
  const object = lists.find((list) => list.object !== null)?.object ?? null;
  const versions = await each(lists, signal, async ({ object: listed, ...probed }) => {
    if (object === null || listed === null || probed.failure !== null) return probed;
    const read = await inOurTurn(() =>
      timed(signal, (deadline) => readOne(connection, crd, probed.version, object, { ...of, signal: deadline })),
    );
    return { ...probed, readMs: read.value === "gone" ? null : read.ms, failure: read.failure };
  });
  return { asOf: new Date().toISOString(), versions };
}

/** What `ask` returns for each item, in their order; a few are asked at a time. */
async function each<Item, Answer>(items: readonly Item[], signal: AbortSignal, ask: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  await forEachConcurrently(items.entries(), { concurrency: MOST_ASKED.ofPerson, signal }, async ([index, item]) => {
    answers[index] = await ask(item);
  });
  return answers;
}

async function listOne(
  connection: Connection,
  crd: Crd,
  version: string,
  signal: AbortSignal,
  of: { runId?: string },
): Promise<Probed & { object: ObjectName | null }> {
  const { value, ms, failure } = await timed(signal, (deadline) =>
    listObjects(connection, crd, { version, limit: 1, signal: deadline, ...of }),
  );
  const object = value?.objects[0] ?? null;
  return { version, ms, objects: value && (object ? 1 : 0), readMs: null, failure, object };
}

/** Reads only metadata; the API server still converts the whole object for it. */
async function readOne(
  connection: Connection,
  crd: Crd,
  version: string,
  object: ObjectName,
  options: { signal: AbortSignal; runId?: string },
): Promise<"read" | "gone"> {
  if (whyUnaddressable(crd, object)) return "gone";
  try {
    await requestJson(connection, { path: objectPath(crd, version, object), accept: OBJECT_AS_METADATA, ...options });
    return "read";
  } catch (error) {
    if (clusterAnswer(error)?.name === object.name && clusterAnswer(error)?.status === 404) return "gone";
    throw error;
  }
}

async function timed<Value>(
  signal: AbortSignal,
  ask: (deadline: AbortSignal) => Promise<Value>,
): Promise<{ value: Value | null; ms: number; failure: string | null }> {
  const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  try {
    const value = await ask(AbortSignal.any([signal, timeout]));
    return { value, ms: ms(), failure: null };
  } catch (error) {
    signal.throwIfAborted();
    const words = isAppError(error) ? (error.clusterMessage ?? error.message) : errorMessage(error);
    return { value: null, ms: ms(), failure: timeout.aborted ? TIMED_OUT : words };
  }
}
