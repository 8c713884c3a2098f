import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import { forEachInRoom } from "#lib/async/for-each-in-room.ts";
import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import {
  type RememberedLosses,
  rememberedFlipLosses,
  rememberFlipLosses,
} from "#lib/cluster/definitions/evidence/remembered-flip-losses.ts";
import { bytesEach, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { errorWords, isAppError } from "#lib/contract/app-error.ts";
import { type Crd, readingVersion, storageVersion } from "#lib/domain/definition/crd.ts";
import { holdsBack, type Loss, MOST_COUNTED } from "#lib/domain/losses/losses.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { type FlipLosses, flipSight } from "#lib/domain/versions/storage-flip.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { createLossTally } from "#lib/rewrite/dry-run/loss-tally.ts";
import { lossesOnce } from "#lib/rewrite/dry-run/losses-once.ts";
import { createSampler } from "#lib/rewrite/dry-run/sample.ts";
import { droppedByReading, type Trying } from "#lib/rewrite/dry-run/try-object.ts";
import { refuseOthersObjects } from "#lib/rewrite/guards/require-own-objects.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { isStopRun } from "#lib/rewrite/run/stop-run.ts";
import { joinedLosses } from "./joined-losses.ts";
import { refuseUnknownVersion } from "./read-for-change.ts";

type Reader = Omit<Trying, "otherVersions" | "mayHide">;
type Look = ReturnType<typeof freshLook>;

const SAMPLE_SIZE = 200;
const WORKERS = 4;
const WITHIN_SECONDS = 20;
/** Of the objects at work in one check, in bytes of the pages that listed them. */
const MOST_AT_WORK = 2 * 1024 * 1024;
/** Checks at a time. */
const MOST_CHECKS = { inAll: 8, ofPerson: 2 };

/**
 * What objects would lose if they were written with `to` as the storage version. Without conversion, it reads objects at other served
 * versions and at `to`: all, or a sample of 200, for at most 20 seconds. Unreadable objects make the answer unknown, not an error. The
 * sample is the same for each check of a spec. What an earlier check found stays found until all objects were tried without it.
 * `person` is who asks, and takes turns with others.
 * @throws AppError not_found for a version that is not in the spec; precondition_failed while another server answers for objects that it would read.
 */
export function flipLosses(
  connection: Connection,
  crd: Crd,
  to: string,
  signal: AbortSignal,
  person = connection.person(),
): Promise<FlipLosses> {
  const turns = processWide("flip-checks", () => noTurns(MOST_CHECKS.inAll, { leavesHalf: true }));
  return inTurn(turns, { person, mostAtWork: MOST_CHECKS.ofPerson }, signal, () => check(connection, crd, to, signal));
}

async function check(connection: Connection, crd: Crd, to: string, signal: AbortSignal): Promise<FlipLosses> {
  refuseUnknownVersion(crd, to);
  const sight = flipSight(crd, to);
  if (sight.kind !== "blind") await refuseOthersObjects(connection, crd, signal);
  const known = rememberedFlipLosses(connection, crd, to);
  const late = AbortSignal.timeout(WITHIN_SECONDS * 1_000);
  const lookAt = async (sampleSize: number) =>
    sight.kind === "blind" ? freshLook() : lookAround({ connection, crd, to, at: sight.at, sampleSize, late }, signal);
  const first = await lookAt(SAMPLE_SIZE);
  const second = !isComplete(first) && mayBeGone(known, first) ? await lookAt(Number.POSITIVE_INFINITY) : null;
  const look = second && second.checked > first.checked ? second : first;
  // Read again: another check may have ended meanwhile.
  const before = isComplete(look) ? { losses: [], more: 0 } : rememberedFlipLosses(connection, crd, to);
  const { losses, leftOut } = joinedLosses(look.tally.list(), first.tally.list(), before.losses);
  const holding = losses.filter(({ kind }) => holdsBack(kind));
  const forgotten = leftOut.filter(({ kind }) => holdsBack(kind)).length;
  const unlisted = Math.max(look.tally.moreHolding(), first.tally.moreHolding(), before.more);
  const more = Math.min(MOST_COUNTED, unlisted + forgotten);
  rememberFlipLosses(connection, crd, to, { losses: holding, more });
  const because = [first.endedBecause, unknownWords(look), sight.unknownBecause].filter((words) => words !== null);
  return {
    from: storageVersion(crd)?.name ?? null,
    to,
    generation: crd.generation,
    total: look.total,
    checked: look.checked,
    losses,
    moreLosses: Math.min(MOST_COUNTED, look.tally.more() - look.tally.moreHolding() + more),
    // Without objects, nothing can be lost.
    unknownBecause: look.total === 0 || because.length === 0 ? null : because.join(" "),
    asOf: new Date().toISOString(),
  };
}

/** Whether the list came to its end, and each of its objects was read. */
function isComplete({ total, leftOut, unknown, endedBecause }: Look): boolean {
  return total !== null && leftOut === 0 && unknown.objects === 0 && endedBecause === null;
}

/** Whether an earlier check found what this look didn't. */
function mayBeGone({ losses, more }: RememberedLosses, { tally }: Look): boolean {
  const keyOf = ({ kind, path }: Loss) => `${kind} ${path}`;
  const found = new Set(tally.list().map(keyOf));
  return more > tally.moreHolding() || losses.some((loss) => !found.has(keyOf(loss)));
}

function freshLook() {
  return {
    total: null as number | null,
    checked: 0,
    /** Listed, but not chosen. */
    leftOut: 0,
    tally: createLossTally(),
    unknown: { objects: 0, because: null as string | null },
    /** Why it ended early. */
    endedBecause: null as string | null,
  };
}

interface Looking {
  connection: Connection;
  crd: Crd;
  to: string;
  /** The versions at which to read. */
  at: readonly string[];
  sampleSize: number;
  /** Aborts when the time is over. */
  late: AbortSignal;
}

async function lookAround(looking: Looking, caller: AbortSignal): Promise<Look> {
  const { connection, crd, to, at, late } = looking;
  const signal = AbortSignal.any([caller, late]);
  setMaxListeners(0, signal);
  const reader: Reader = { connection, crd, storageVersion: to, gate: createGate(), pacer: createPacer(null), signal };
  let look = freshLook();
  const begin = () => {
    look = freshLook();
    return look;
  };
  try {
    const chosen = chosenObjects(reader, looking, begin);
    const options = { concurrency: WORKERS, mostBytes: MOST_AT_WORK, signal };
    await forEachInRoom(chosen, options, ({ object }) => noteLosses(look, reader, at, object));
    return look;
  } catch (error) {
    caller.throwIfAborted();
    if (late.aborted) return { ...look, endedBecause: lateWords(look, reader.gate.cause()) };
    if (isStopRun(error) || isAppError(error)) return { ...look, endedBecause: errorWords(error) };
    throw error;
  }
}

/** Yields a sample of the objects, or none if no version shows them. Calls `begin` when the list starts or restarts. */
async function* chosenObjects(
  reader: Reader,
  { at, sampleSize }: Looking,
  begin: () => Look,
): AsyncGenerator<{ object: ObjectName; bytes: number }> {
  const { connection, crd, storageVersion: to, gate, signal } = reader;
  const version = readingVersion(crd)?.name;
  if (version === undefined) return;
  const pages = objectPages(connection, crd, {
    ...{ version, signal },
    attempt: (request, options) => throughGate(gate, signal, request, options),
  });
  let name = "";
  const startSampler = () => createSampler(sampleSize, () => chance([crd.uid, String(crd.generation), to, name]));
  let look = begin();
  let sampler = startSampler();
  for await (const page of pages) {
    if (page.restarted) {
      look = begin();
      sampler = startSampler();
    }
    look.total = page.total ?? look.total;
    if (at.length === 0) return;
    const bytes = bytesEach(page);
    // Without their managedFields: a worker may take long with the first one.
    const named = page.objects.splice(0).map((object): ObjectName => ({ namespace: object.namespace, name: object.name }));
    for (const object of named) {
      name = fullName(object);
      if (sampler.choose(look.total ?? 0)) yield { object, bytes };
      else look.leftOut += 1;
    }
  }
}

/** A number from 0 to below 1, always the same for the same words: asking again, or asking another crdshift, chooses no other objects. */
function chance(words: readonly string[]): number {
  return createHash("sha256").update(words.join("\n")).digest().readUInt32BE() / 2 ** 32;
}

async function noteLosses(look: Look, reader: Reader, at: readonly string[], object: ObjectName): Promise<void> {
  const losses = lossesOnce();
  let unknownBecause: string | null = null;
  for (const version of at) {
    const found = await droppedByReading(reader, object, version);
    if (found.kind === "gone") return;
    if (found.kind === "rejected") unknownBecause ??= found.message;
    else losses.add(version, found.value.losses);
  }
  look.checked += 1;
  look.tally.count(object, losses.all());
  if (unknownBecause === null) return;
  look.unknown.objects += 1;
  look.unknown.because ??= `${fullName(object)}: ${unknownBecause}`;
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
