import { setMaxListeners } from "node:events";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { type ObjectMetadata, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { errorWords, isAppError } from "#lib/contract/app-error.ts";
import { type Crd, readingVersion, storageVersion } from "#lib/domain/definition/crd.ts";
import { type FlipLosses, flipSight } from "#lib/domain/versions/storage-flip.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { createLossTally, type SeenLoss } from "#lib/rewrite/dry-run/loss-tally.ts";
import { createSampler } from "#lib/rewrite/dry-run/sample.ts";
import { droppedByReading, type Trial } from "#lib/rewrite/dry-run/try-object.ts";
import { refuseUnknownVersion } from "#lib/rewrite/guards/refuse-other-generation.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { isStopRun } from "#lib/rewrite/run/stop-run.ts";

type Reader = Omit<Trial, "otherVersions">;
type Look = ReturnType<typeof freshLook>;

const SAMPLE_SIZE = 200;
const WORKERS = 4;
const WITHIN_SECONDS = 20;

/**
 * What objects would lose if they were written with `to` as the storage version. Without conversion, it reads objects at other served
 * versions and at `to`: all, or a random sample of 200, for at most 20 seconds. Unreadable objects make the answer unknown, not an error.
 * @throws AppError not_found for a version that is not in the spec.
 */
export async function flipLosses(connection: Connection, crd: Crd, to: string, signal: AbortSignal): Promise<FlipLosses> {
  refuseUnknownVersion(crd, to);
  const sight = flipSight(crd, to);
  const look = sight.kind === "blind" ? freshLook() : await lookAround(connection, crd, to, sight.at, signal);
  const because = [look.endedBecause, unknownWords(look), sight.unknownBecause].filter((words) => words !== null);
  return {
    from: storageVersion(crd)?.name ?? null,
    to,
    generation: crd.generation,
    total: look.total,
    checked: look.checked,
    losses: look.tally.list(),
    moreLosses: look.tally.more(),
    // Without objects, nothing can be lost.
    unknownBecause: look.total === 0 || because.length === 0 ? null : because.join(" "),
    asOf: new Date().toISOString(),
  };
}

function freshLook() {
  return {
    total: null as number | null,
    checked: 0,
    tally: createLossTally(),
    unknown: { objects: 0, because: null as string | null },
    /** Why it ended early. */
    endedBecause: null as string | null,
  };
}

async function lookAround(connection: Connection, crd: Crd, to: string, at: readonly string[], caller: AbortSignal): Promise<Look> {
  const late = AbortSignal.timeout(WITHIN_SECONDS * 1_000);
  const signal = AbortSignal.any([caller, late]);
  setMaxListeners(0, signal);
  const reader: Reader = { connection, crd, storageVersion: to, gate: createGate(), pacer: createPacer(null), signal };
  let look = freshLook();
  const begin = () => {
    look = freshLook();
    return look;
  };
  try {
    const chosen = chosenObjects(reader, at.length > 0, begin);
    await forEachConcurrently(chosen, { concurrency: WORKERS, signal }, (object) => noteLosses(look, reader, at, object));
    return look;
  } catch (error) {
    caller.throwIfAborted();
    if (late.aborted) return { ...look, endedBecause: lateWords(look, reader.gate.cause()) };
    if (isStopRun(error) || isAppError(error)) return { ...look, endedBecause: errorWords(error) };
    throw error;
  }
}

/** Yields a random sample of the objects, or none if `areRead` is false. Calls `begin` when the list starts or restarts. */
async function* chosenObjects(reader: Reader, areRead: boolean, begin: () => Look): AsyncGenerator<ObjectMetadata> {
  const { connection, crd, gate, signal } = reader;
  const version = readingVersion(crd)?.name;
  if (version === undefined) return;
  const pages = objectPages(connection, crd, {
    ...{ version, signal },
    attempt: (request, options) => throughGate(gate, signal, request, options),
  });
  let look = begin();
  let sampler = createSampler(SAMPLE_SIZE);
  for await (const page of pages) {
    if (page.restarted) {
      look = begin();
      sampler = createSampler(SAMPLE_SIZE);
    }
    look.total = page.total ?? look.total;
    if (!areRead) return;
    for (const object of page.objects) if (sampler.choose(look.total ?? 0)) yield object;
  }
}

async function noteLosses(look: Look, reader: Reader, at: readonly string[], object: ObjectMetadata): Promise<void> {
  const losses: SeenLoss[] = [];
  let unknownBecause: string | null = null;
  for (const version of at) {
    const found = await droppedByReading(reader, object, version);
    if (found.kind === "gone") return;
    if (found.kind === "rejected") unknownBecause ??= found.message;
    else losses.push(...found.value.map((loss) => ({ ...loss, version })));
  }
  look.checked += 1;
  look.tally.count(object, losses);
  if (unknownBecause === null) return;
  look.unknown.objects += 1;
  look.unknown.because ??= `${object.namespace ? `${object.namespace}/` : ""}${object.name}: ${unknownBecause}`;
}

function unknownWords({ unknown }: Look): string | null {
  return unknown.objects === 0
    ? null
    : `The losses of ${formatCountOf(unknown.objects, "object")} are unknown; the first is ${unknown.because}`;
}

function lateWords({ checked, total }: Look, cause: string | null): string {
  const planned = total === null ? "" : ` of ${formatCountOf(Math.min(total, SAMPLE_SIZE), "object")}`;
  const tail = cause === null ? "Retry." : `${cause} Fix that, then retry.`;
  return `Only ${checked}${planned} could be checked in ${WITHIN_SECONDS} seconds. ${tail}`;
}
