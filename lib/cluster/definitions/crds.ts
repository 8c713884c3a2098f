import { z } from "zod";
import type { NextTurn } from "#lib/async/in-turn-by-length.ts";
import { mapInShortTurns } from "#lib/async/map-in-short-turns.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import { isAdmissionDenial, lacksRoomForAnnotations } from "#lib/cluster/transport/refused-writes.ts";
import { type ClusterRequest, pathSegment, requestJson, requestText } from "#lib/cluster/transport/request.ts";
import { halvedWhileTooLarge, nextLimit, PAGE_MAX_BYTES } from "#lib/cluster/transport/whole-answer.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { editRefusal } from "#lib/domain/definition/edit-verdict.ts";
import { EXACT_LEVELS, type ExactJson, exactText, parseExactJson, UnreadableJson } from "#lib/domain/exact-json/exact-json.ts";
import { FIELD_MANAGER } from "#lib/domain/objects/own-entries.ts";
import { RECORD_ANNOTATION } from "#lib/domain/record/record-room.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { PatchStep } from "#lib/domain/versions/patch-step.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { crdFromJson } from "./crd-from-json.ts";
import { fullRecordText, recordText } from "./record-text.ts";

/** A separate manager from the record's: with one managedFields entry for both, each renewal would look like a spec change. */
const SPEC_MANAGER = `${FIELD_MANAGER}-spec`;

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Small, because definitions come with schemas of up to a megabyte each. */
const PAGE_SIZE = 50;

const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(z.unknown()),
});

export interface CrdPage {
  crds: Crd[];
  resourceVersion: string;
}

/** All definitions without their schemas, page by page. */
export async function* listCrds(connection: Connection, signal: AbortSignal): AsyncGenerator<CrdPage> {
  let next: string | undefined;
  let limit = PAGE_SIZE;
  do {
    const { json, bytes } = await halvedWhileTooLarge(limit, (fitting) => {
      limit = fitting;
      const query = new URLSearchParams({ limit: String(limit), ...(next && { continue: next }) });
      return requestJson(connection, { path: `${CRDS}?${query}`, signal, ...(limit > 1 && { maxBytes: PAGE_MAX_BYTES }) });
    });
    const { metadata, items } = listSchema.parse(json);
    const whose = { person: connection.person(), signal };
    yield { crds: await mapInShortTurns(items, (item) => crdFromJson(connection, item), whose), resourceVersion: metadata.resourceVersion };
    limit = Math.min(nextLimit(limit, { items: items.length, bytes }), PAGE_SIZE);
    next = metadata.continue || undefined;
  } while (next);
}

/** A fresh definition, with the server's clock (ms since the epoch, or null if unknown). Throws AppError not_found. */
export async function readCrd(connection: Connection, name: string, signal: AbortSignal): Promise<{ crd: Crd; serverTime: number | null }> {
  const { json, serverTime } = await requestJson(connection, { path: definitionPath(name), line: "definitions", signal }).catch(
    orNoSuch(connection, name),
  );
  return { crd: crdFromJson(connection, json), serverTime };
}

/** A definition, and its exact JSON as the API server sent it. */
interface ExactCrd {
  crd: Crd;
  exact: ExactJson;
}

/**
 * A fresh definition, and its exact JSON as the API server sent it.
 * @throws AppError not_found; too_large if it is nested deeper than crdshift reads.
 */
export async function readExactCrd(connection: Connection, name: string, signal: AbortSignal): Promise<ExactCrd> {
  const text = await definitionText(connection, name, signal);
  const read = (nextTurn: NextTurn) => parsedExactly(connection, name, text, nextTurn);
  return inLongAnswersTurn(text, connection, signal, read, { line: "definitions" });
}

/**
 * Does work on a fresh definition that may take longer than to read it, in the turns in which it is read: kept until it has others, its exact
 * JSON would fill the memory. `nextTurn` is to be awaited between its steps.
 * @throws AppError as readExactCrd, and what the work throws.
 */
export async function withExactCrd<Result>(
  connection: Connection,
  name: string,
  signal: AbortSignal,
  work: (read: ExactCrd, nextTurn: NextTurn) => Promise<Result>,
): Promise<Result> {
  const text = await definitionText(connection, name, signal);
  const all = async (nextTurn: NextTurn) => {
    const read = await parsedExactly(connection, name, text, nextTurn);
    await nextTurn();
    return work(read, nextTurn);
  };
  return inLongAnswersTurn(text, connection, signal, all, { line: "definitions", mayTakeLonger: true });
}

async function definitionText(connection: Connection, name: string, signal: AbortSignal): Promise<string> {
  const { text } = await requestText(connection, { path: definitionPath(name), line: "definitions", signal }).catch(
    orNoSuch(connection, name),
  );
  return text;
}

async function parsedExactly(connection: Connection, name: string, text: string, nextTurn: NextTurn): Promise<ExactCrd> {
  const json: unknown = JSON.parse(text);
  await nextTurn();
  const crd = crdFromJson(connection, json);
  await nextTurn();
  return { crd, exact: exactDefinition(name, text) };
}

function exactDefinition(name: string, text: string): ExactJson {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw new AppError("too_large", `${name} is nested deeper than ${formatCount(EXACT_LEVELS)} levels, so crdshift can't read it.`, {
      nextStep: "Nest its schemas less deeply and apply the definition, then retry.",
      cause: error,
    });
  }
}

// A 404 that doesn't name the definition comes from something in front of the API server, or is about another path.
function orNoSuch(connection: Connection, name: string): (error: unknown) => never {
  return (error) => {
    const answer = clusterAnswer(error);
    throw answer?.status === 404 && answer.name === name ? noSuchDefinition(connection, name, error) : error;
  };
}

/**
 * Writes crdshift's record to the definition's annotation, if nothing has changed since `crd` was read; if `full`, at its longest.
 * This changes neither the generation nor anyone's watch on the objects.
 * @throws AppError conflict if something has changed; precondition_failed if the API server refuses any change of this definition.
 */
export async function writeRecord(
  connection: Connection,
  crd: Crd,
  record: RewriteRecord,
  signal: AbortSignal,
  { full = false } = {},
): Promise<Crd> {
  const annotations = { [RECORD_ANNOTATION]: full ? fullRecordText(record) : recordText(record) };
  const patch = { metadata: { resourceVersion: crd.resourceVersion, annotations } };
  const path = `${definitionPath(crd.name)}?fieldManager=${FIELD_MANAGER}`;
  return patchCrd(connection, path, mergePatch(patch), signal).catch((error: unknown) => {
    throw asUnchangeable(crd.name, error) ?? error;
  });
}

// Each update validates the whole definition again, and a newer API server may refuse what an older one took.
function asUnchangeable(crdName: string, error: unknown): AppError | null {
  const answer = clusterAnswer(error);
  if (answer?.status !== 422 || answer.fields.length === 0 || isAdmissionDenial(answer) || lacksRoomForAnnotations(answer)) return null;
  const fix = editRefusal(answer, []).isBudget
    ? "Its validation rules in CEL cost more than the API server allows: bound the lists, maps and strings that they read, or simplify them."
    : "Fix what the API server names.";
  const message = `The API server refuses every change of ${crdName}, even to its annotations, so crdshift can't record anything there.`;
  return new AppError("precondition_failed", message, {
    nextStep: `${fix} Apply the definition, then retry.`,
    clusterMessage: answer.message,
    details: { fields: answer.fields },
    cause: error,
  });
}

/**
 * Replaces status.storedVersions, if nothing has changed since `crd` was read. Only /status can write it.
 * @throws AppError conflict if something has changed.
 */
export async function writeStoredVersions(connection: Connection, crd: Crd, storedVersions: string[], signal: AbortSignal): Promise<Crd> {
  const patch = { metadata: { resourceVersion: crd.resourceVersion }, status: { storedVersions } };
  return patchCrd(connection, `${definitionPath(crd.name)}/status?fieldManager=${FIELD_MANAGER}`, mergePatch(patch), signal);
}

/**
 * Applies a JSON patch to the definition, or with `dryRun` only returns the result it would have.
 * @throws AppError conflict if the patch requires another resourceVersion, cluster_rejected with `details.fields` if it is rejected.
 */
export async function patchSpec(
  connection: Connection,
  crdName: string,
  steps: readonly PatchStep[],
  { dryRun = false, signal }: { dryRun?: boolean; signal: AbortSignal },
): Promise<Crd> {
  const body = { type: "application/json-patch+json", json: exactText([...steps]) } as const;
  const query = `fieldManager=${SPEC_MANAGER}${dryRun ? "&dryRun=All" : ""}`;
  return patchCrd(connection, `${definitionPath(crdName)}?${query}`, body, signal);
}

function mergePatch(patch: object) {
  return { type: "application/merge-patch+json", json: JSON.stringify(patch) } as const;
}

async function patchCrd(
  connection: Connection,
  path: string,
  body: NonNullable<ClusterRequest["body"]>,
  signal: AbortSignal,
): Promise<Crd> {
  const { json } = await requestJson(connection, { method: "PATCH", path, body, line: "definitions", signal });
  return crdFromJson(connection, json);
}

/** The path of a definition. */
export function definitionPath(name: string): string {
  return `${CRDS}/${pathSegment(name)}`;
}

/** The path to watch definitions after a resourceVersion, with bookmarks. */
export function watchPath(resourceVersion: string, timeoutSeconds: number): string {
  const query = new URLSearchParams({ watch: "1", allowWatchBookmarks: "true", resourceVersion, timeoutSeconds: String(timeoutSeconds) });
  return `${CRDS}?${query}`;
}

/**
 * The definition as it is now, if it has changed since it was read and a patch under its resourceVersion failed for that. Throws the
 * patch's error if that is not why.
 */
export async function changedSince(connection: Connection, crd: Crd, error: unknown, signal: AbortSignal): Promise<Crd> {
  const answer = clusterAnswer(error);
  // A failed test of a list position is a 422 without fields, even if only the list has changed.
  const mayBeOutdated = answer?.status === 409 || (answer?.status === 422 && answer.fields.length === 0);
  if (!mayBeOutdated) throw error;
  const { crd: now } = await readCrd(connection, crd.name, signal);
  if (now.uid === crd.uid && now.resourceVersion === crd.resourceVersion) throw error;
  return now;
}

/** The error for a definition that the cluster doesn't have. */
export function noSuchDefinition(connection: Connection, crdName: string, cause?: unknown): AppError {
  return new AppError("not_found", `There is no definition ${crdName} in ${connection.name}.`, {
    nextStep: "It may have been deleted. Check the list of definitions.",
    cause,
  });
}
