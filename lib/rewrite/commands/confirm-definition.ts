import { z } from "zod";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { definitionPath, readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { OBJECT_AS_METADATA } from "#lib/cluster/objects/custom-objects.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { crdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { classifyFailure } from "#lib/rewrite/run/object/classify-failure.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";

interface Confirming {
  connection: Connection;
  /** The definition as the work knows it. */
  crd: Crd;
  gate: Gate;
  signal: AbortSignal;
}

const CONFIRM_EVERY_MS = 500;
/** Counts from when the request was sent: a process that has slept, or whose requests hang, writes nothing. */
const CONFIRMED_FOR_MS = 1_000;
/** An API server whose answers take longer than that lets a few writes through after each. */
const AT_LEAST_MS = 200;
const READ_TIMEOUT_MS = 3_000;

const identitySchema = z.object({ metadata: z.object({ uid: z.string(), generation: z.number() }) });

/**
 * Reads twice a second whether the definition is still the one that the work began with, until the signal aborts. The gate is held until
 * the first answer and whenever the last one is older than a second. A watch may lag or hang, and what was safe to write at one storage
 * version may lose fields at another.
 * @throws StopRun once the definition has changed or is gone, or can't be read any more.
 */
export async function keepConfirming(confirming: Confirming): Promise<void> {
  const { gate, signal } = confirming;
  gate.hold("crdshift hasn't read the definition yet.", "definition");
  for (;;) {
    const sentAt = Date.now();
    try {
      await confirmDefinition(confirming);
      gate.release(Math.max(sentAt + CONFIRMED_FOR_MS, Date.now() + AT_LEAST_MS), "definition");
    } catch (error) {
      if (signal.aborted) return;
      if (isStopRun(error)) throw error;
      const failure = classifyFailure(error, null);
      if (failure.kind === "interrupt") throw new StopRun("interrupted", failure.message, { cause: error });
      if (failure.kind === "stop") throw new StopRun("failed", `The definition can't be read: ${failure.message}`, { cause: error });
      gate.hold(`The definition can't be read: ${errorWords(error)}`, "definition");
    }
    try {
      await sleep(CONFIRM_EVERY_MS, signal);
    } catch {
      return;
    }
  }
}

/** The same once, after the last write. Retries passing failures. */
export function confirmAtLast(confirming: Confirming): Promise<void> {
  return throughGate(confirming.gate, confirming.signal, () => confirmDefinition(confirming));
}

// Only its metadata, because a schema may take a megabyte: any change of the spec raises the generation.
async function confirmDefinition({ connection, crd, signal }: Confirming): Promise<void> {
  try {
    const path = definitionPath(crd.name);
    const { json } = await requestJson(connection, { path, accept: OBJECT_AS_METADATA, timeoutMs: READ_TIMEOUT_MS, signal });
    const { uid, generation } = identitySchema.parse(json).metadata;
    if (uid === crd.uid && generation === crd.generation) return;
  } catch (error) {
    const answer = clusterAnswer(error);
    throw answer?.status === 404 && answer.name === crd.name ? changed("it was deleted") : error;
  }
  const identity = crdIdentity(crd);
  const { crd: now } = await readCrd(connection, crd.name, signal);
  throw changed((identity && identityChange(now, identity)) ?? "its spec changed");
}

/** Aborts as soon as the watch reports a changed definition. Returns a function that unsubscribes. */
export function stopWhenDefinitionChanges({ connection, crd }: Pick<Confirming, "connection" | "crd">, stop: AbortController): () => void {
  return fleetOf(connection).subscribe((event) => {
    if (event.event !== "crd" || event.data.item.name !== crd.name) return;
    const { type, item } = event.data;
    if (type === "deleted") stop.abort(changed("it was deleted"));
    else if (item.uid !== crd.uid || item.generation > crd.generation) stop.abort(changed("its spec changed"));
  });
}

function changed(how: string): StopRun {
  return new StopRun("failed", `The definition changed since the cleaning began: ${how}.`);
}
