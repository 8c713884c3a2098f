import { isDeepStrictEqual } from "node:util";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { type Rewritten, readObjectMetadata, replaceManagedFields } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectRequest } from "#lib/cluster/objects/object-patches.ts";
import { asAnswerAbout, clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactProperty, parseObject } from "#lib/domain/exact-json/exact-json.ts";
import { memberAt, rootOf } from "#lib/domain/exact-json/json-spans.ts";
import { fieldLosses } from "#lib/domain/losses/field-losses.ts";
import { holdsBack, type ObjectLoss } from "#lib/domain/losses/losses.ts";
import { managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import { givenBack, hasOwn, withOwnOf } from "#lib/domain/objects/own-entries.ts";
import { compareResourceVersions, generationOf, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { isNamesake, type Listed } from "#lib/rewrite/run/object/request/is-namesake.ts";
import { type Attempts, noAttempts, noteLostAnswer, noteUnanswered } from "#lib/rewrite/run/object/write/note-lost-answer.ts";
import { mayStartElsewhere, readToStartFrom, startFromRead } from "#lib/rewrite/run/object/write/start-from-read.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

export interface ManagedFieldsChange {
  before: ExactJson[];
  /** What was sent; the API server may make something else of it. */
  sent: ExactJson[];
  after: ExactJson[];
  rewritten: Rewritten;
  /** Whether the write raised the generation, which a change of managedFields doesn't. */
  raised: boolean;
  /** Whether the write changed anything but managedFields: it raised the generation, or changed other metadata. */
  altered: boolean;
}

interface Options {
  connection: Connection;
  crd: Crd;
  version: string;
  runId?: string;
  throughStatus?: boolean;
  dryRun?: boolean;
  /** Waited for before each request. An error from it ends the change. */
  gate?: Pick<Gate, "whenReleased" | "held">;
  onPatch?: OnPatch;
  signal: AbortSignal;
  /** Which losses are accepted; none by default. */
  guard?: { isOff: boolean; accepts(loss: ObjectLoss): boolean };
  /** Whether it is known to be stored at the storage version, so that no webhook converts it. */
  isCurrent?: boolean;
  /** Whether it must be as it was listed: a conflict if not. */
  ifListed?: boolean;
  /** Whether the caller removes the entry that is left for crdshift: once it has noted what the write has stored. */
  leavesOwn?: boolean;
  /** For the removal of crdshift's entry once the change is stored; by default `signal`. */
  lasting?: AbortSignal;
  /** Notes if an error leaves open what was stored. */
  attempts?: Attempts;
}

/** An object's metadata, and what a write that isn't a dry run has to start from, if that is tested. */
interface Seen {
  object: ExactJson;
  startsFrom?: string;
}

interface Change {
  resourceVersion: string;
  managedFields: ExactJson[];
  dryRun: boolean;
  tests?: readonly string[];
}

/** Other writers may change the object between read and write; a busy object needs several tries. */
export const MAX_ATTEMPTS = 10;

/**
 * Applies `change` to an object's managedFields with a test of its resourceVersion, then removes the entry that the API server may
 * have added for crdshift. Starts over on a conflict. If an earlier attempt got no answer, `change` gets the entries as if crdshift's own had
 * taken nothing. If it returns a refusal, nothing is sent, and that is the result.
 * @throws StopRun if the object is older than it was listed.
 * @throws AppError conflict (409) after 10 conflicts, not_found (404) for another object of its name, and the errors of reading and
 * patching.
 */
export async function changeManagedFields<Refused extends { kind: "rejected" } = never>(
  {
    connection,
    crd,
    version,
    dryRun = false,
    throughStatus = false,
    gate,
    guard,
    isCurrent,
    ifListed = false,
    leavesOwn = false,
    signal,
    lasting = signal,
    attempts = noAttempts(lasting),
    ...given
  }: Options,
  listed: Listed & { resourceVersion: string },
  change: (entries: ExactJson[], object: ExactJson) => ExactJson[] | Promise<ExactJson[] | Refused>,
): Promise<ManagedFieldsChange | Refused> {
  const request = { ...given, signal };
  const isTested = !isCurrent && mayStartElsewhere(crd, guard);
  const writingWithin = (within: AbortSignal) => ({
    ...given,
    connection,
    crd,
    version,
    signal: within,
    ...(guard && { guard }),
    ...(gate && { gate }),
  });
  const readMetadata = async (within = signal) => {
    await gate?.whenReleased(within);
    return readObjectMetadata(connection, crd, version, listed, { ...request, signal: within });
  };
  const read = async (within = signal): Promise<Seen> => {
    if (dryRun || !isTested) return { object: await readMetadata(within) };
    const text = await readToStartFrom(writingWithin(within), listed);
    return { object: withMetadata(text), startsFrom: text };
  };
  const send = async (change: Change, within: AbortSignal) => {
    const replace = (how: Pick<ObjectRequest, "signal" | "sending">) =>
      replaceManagedFields(connection, crd, version, listed, change, { ...request, ...how, throughStatus });
    if (!change.dryRun) return noteLostAnswer(attempts, { within, gate, owners: change.managedFields }, replace);
    await gate?.whenReleased(within);
    return replace({ signal: within });
  };
  const write = async ({ object, startsFrom }: Seen, managedFields: ExactJson[], asDryRun: boolean, within = signal) => {
    const change = { resourceVersion: resourceVersionOf(object), managedFields, dryRun: asDryRun };
    if (asDryRun || startsFrom === undefined) return { ...(await send(change, within)), startedFrom: object };
    return startFromRead(writingWithin(within), listed, startsFrom, {
      // Where that isn't what was read, the difference is harmless or accepted, and nothing that the write changed.
      write: async (tests, from) => ({
        ...(await send({ ...change, tests }, within)),
        startedFrom: from === startsFrom ? object : withMetadata(from),
      }),
      tryOut: () => send({ ...change, dryRun: true }, within),
    });
  };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const seen = await read();
    const { object } = seen;
    if (isNamesake(object, listed)) throw goneMeanwhile(listed);
    if (compareResourceVersions(resourceVersionOf(object), listed.resourceVersion) < 0) throw restored();
    if (ifListed && resourceVersionOf(object) !== listed.resourceVersion) throw alwaysMoved(listed);
    const before = managedFieldsOf(object);
    const wanted = await change(attempts.owners ? givenBack(attempts.owners, before) : before, object);
    if (!Array.isArray(wanted)) return wanted;
    let written: Awaited<ReturnType<typeof write>>;
    try {
      written = await write(seen, wanted, dryRun);
    } catch (error) {
      if (!(await hasMoved(error, resourceVersionOf(object), async () => resourceVersionOf(await readMetadata())))) throw error;
      continue;
    }
    const { patched, startedFrom, ...rewritten } = written;
    const after = givenBack(wanted, rewritten.managedFields);
    const done = { before, sent: wanted, after, rewritten, ...changedBy(startedFrom, patched) };
    if (dryRun || leavesOwn || rewritten.deleted) return done;
    return await withoutOwnEntry(done, patched).catch((error: unknown) => {
      noteUnanswered(attempts, wanted);
      throw error;
    });
  }
  throw alwaysMoved(listed);

  /**
   * The stored change without crdshift's entry, which gives back what it has taken, also if someone else has removed it. What keeps changing,
   * or would lose something, keeps the entry.
   */
  async function withoutOwnEntry(done: ManagedFieldsChange, stored: ExactJson): Promise<ManagedFieldsChange> {
    if (!hasOwn(managedFieldsOf(stored))) return done;
    let seen: Seen = isTested ? await read(lasting) : { object: stored };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const { object } = seen;
      if (isNamesake(object, listed)) throw goneMeanwhile(listed);
      const entries = managedFieldsOf(object);
      const after = givenBack(done.sent, withTaken(entries, object, { before: managedFieldsOf(stored), generation: generationOf(stored) }));
      if (isDeepStrictEqual(after, entries)) return done;
      try {
        const tried = await write(seen, after, true, lasting);
        if (mayLose(object, tried.patched)) return { ...done, after: entries };
        const { patched, startedFrom, ...rewritten } = await write(seen, after, false, lasting);
        const { raised, altered } = changedBy(startedFrom, patched);
        return { ...done, after, rewritten, raised: done.raised || raised, altered: done.altered || altered };
      } catch (error) {
        if (clusterAnswer(error)?.reason === "LossUnknown") return { ...done, after: entries };
        if (!(await hasMoved(error, resourceVersionOf(object), async () => resourceVersionOf(await readMetadata(lasting))))) throw error;
        seen = await read(lasting);
      }
    }
    return { ...done, after: managedFieldsOf(seen.object) };
  }
}

/**
 * An object's managedFields; if crdshift's own entry of `before` is gone, with that entry, for what it has taken to be given back. Not if
 * the object itself has changed since, which may have given these fields to others, or if someone has emptied its managedFields.
 */
export function withTaken(
  entries: ExactJson[],
  object: ExactJson,
  { before, generation }: { before: readonly ExactJson[]; generation: number | null },
): ExactJson[] {
  const isUnchanged = generation !== null && generationOf(object) === generation;
  return hasOwn(entries) || entries.length === 0 || !isUnchanged ? entries : withOwnOf(before, entries);
}

/** The object with nothing but metadata, of which all comparisons are. */
function withMetadata(json: string): ExactJson {
  const { from, to } = memberAt(json, rootOf(json), "metadata") ?? { from: 0, to: 0 };
  return parseObject(`{"metadata":${json.slice(from, to) || "{}"}}`);
}

function changesOf(before: ExactJson, after: ExactJson): ObjectLoss[] {
  const onlyMetadata = (object: ExactJson) => ({ metadata: exactProperty(object, "metadata") ?? null });
  return fieldLosses(onlyMetadata(before), onlyMetadata(after));
}

function isRaised(before: ExactJson, after: ExactJson): boolean {
  return (generationOf(after) ?? 0) > (generationOf(before) ?? Number.POSITIVE_INFINITY);
}

function changedBy(before: ExactJson, after: ExactJson): Pick<ManagedFieldsChange, "raised" | "altered"> {
  const raised = isRaised(before, after);
  return { raised, altered: raised || changesOf(before, after).length > 0 };
}

/** Whether a write that raised the generation, or changed metadata so, may lose something. */
function mayLose(before: ExactJson, after: ExactJson): boolean {
  return isRaised(before, after) || changesOf(before, after).some(({ kind }) => holdsBack(kind));
}

/** Whether a write failed because the object has changed since it was read. A failed test of the resourceVersion gets a 422, like any invalid patch. */
export async function hasMoved(error: unknown, resourceVersion: string, resourceVersionNow: () => Promise<string>): Promise<boolean> {
  const status = clusterAnswer(error)?.status;
  return status === 409 || (status === 422 && (await resourceVersionNow()) !== resourceVersion);
}

// What was proven of it, or checked, isn't true of what it is now.
function restored(): StopRun {
  return new StopRun("failed", "etcd was restored from a backup meanwhile: an object is older than it was when it was listed.");
}

function alwaysMoved(object: ObjectName): AppError {
  const message = `${fullName(object)} kept changing between crdshift's read and its patch.`;
  const error = new AppError("conflict", message, { nextStep: "Retry when the object is less busy." });
  return asAnswerAbout(object, { status: 409, reason: "Conflict" }, error);
}

// Nothing of it may be written onto the new one.
function goneMeanwhile(object: ObjectName): AppError {
  const message = `${fullName(object)} was deleted, and another object was created with its name.`;
  const error = new AppError("not_found", message, { nextStep: "Look at the new object." });
  return asAnswerAbout(object, { status: 404, reason: "NotFound" }, error);
}
