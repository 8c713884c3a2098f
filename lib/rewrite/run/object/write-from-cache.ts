import type { Rewritten } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { asAnswerAbout } from "#lib/cluster/transport/errors.ts";
import { FIELD_MANAGER } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { hasMerged } from "#lib/domain/objects/managed-fields.ts";
import { changeManagedFields } from "#lib/rewrite/managed-fields/change-managed-fields.ts";
import { lostByChange, lostByChangeWords } from "#lib/rewrite/managed-fields/lost-by-change.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import { hasOwn, withoutOwn } from "./left-entries.ts";
import { type Attempts, noteLostAnswer } from "./note-lost-answer.ts";
import { TEN_MANAGERS, unknownLosses } from "./start-from-read.ts";

/**
 * Rewrites an object that a conversion webhook gives back otherwise than it was just read, by a write that changes something: an entry of
 * crdshift's in managedFields, which the next write removes. A write that changes nothing is converted anew by the API server that takes it,
 * and can only test for what no two conversions give. This one starts from that API server's cache, and tests all of it.
 * @throws AppError precondition_failed if the cache holds it with a difference that isn't accepted, conflict if it has changed since the list.
 */
export async function writeFromCache(
  pass: Pass,
  object: ObjectMetadata,
  throughStatus: boolean,
  attempts: Attempts,
): Promise<Rewritten & { unforetold?: true }> {
  const { connection, crd, version, signal, lasting, runId, gate, guard, onPatch } = pass;
  const beforeRequest = (within: AbortSignal) => gate.whenReleased(within);
  const options = { connection, crd, version, signal, lasting, runId, guard, onPatch, beforeRequest, throughStatus, ifListed: true };
  const change = (dryRun: boolean) =>
    changeManagedFields({ ...options, dryRun }, object, (entries) => changedEntries(entries, crd, version));
  const tried = await change(true);
  if (hasMerged(tried.sent, tried.rewritten.managedFields)) throw unknownLosses(object, TEN_MANAGERS);
  const loss = await lostByChange({ ...pass, throughStatus }, object, tried);
  if (loss) {
    const error = new AppError("precondition_failed", lostByChangeWords(loss));
    throw asAnswerAbout(object, { status: 422, reason: "WouldLose" }, error);
  }
  const { rewritten, altered } = await change(false).catch(noteLostAnswer(attempts));
  return { ...rewritten, ...(altered && !tried.altered && { unforetold: true }) };
}

/** With an entry of crdshift's that owns nothing, or without the one that it has. */
function changedEntries(entries: readonly ExactJson[], { group }: Crd, version: string): ExactJson[] {
  const others = withoutOwn(entries);
  if (hasOwn(entries)) return others;
  const fieldsV1 = { "f:metadata": { "f:annotations": { "f:crdshift.dev/rewriting": {} } } };
  const time = `${new Date().toISOString().slice(0, -5)}Z`;
  return [
    ...others,
    { manager: FIELD_MANAGER, operation: "Update", apiVersion: `${group}/${version}`, time, fieldsType: "FieldsV1", fieldsV1 },
  ];
}
