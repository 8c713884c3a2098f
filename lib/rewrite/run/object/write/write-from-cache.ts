import type { Rewritten } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { asAnswerAbout } from "#lib/cluster/transport/cluster-answer.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { namesGoneVersion } from "#lib/domain/definition/broken-applies.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { hasMerged } from "#lib/domain/objects/managed-fields.ts";
import { hasOwn, withoutOwn } from "#lib/domain/objects/own-entries.ts";
import { changeManagedFields } from "#lib/rewrite/managed-fields/change-managed-fields.ts";
import { lostByChange, lostByChangeWords } from "#lib/rewrite/managed-fields/lost-by-change.ts";
import { emptyEntry } from "#lib/rewrite/run/object/ownership/left-entries.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import type { Attempts } from "./note-lost-answer.ts";
import { TEN_MANAGERS, UNCHANGEABLE, unknownLosses } from "./start-from-read.ts";

/**
 * Rewrites an object that a conversion webhook gives back otherwise than it was just read, by a write that changes something: it adds an
 * entry of crdshift's to managedFields, which the caller removes. A write that changes nothing is converted anew by the API server that takes it,
 * and can only test for what no two conversions give. This one starts from that API server's cache, and tests all of it.
 * @throws AppError precondition_failed if the cache holds it with a difference that isn't accepted, conflict if it has changed since the list.
 */
export async function writeFromCache(
  pass: Pass,
  object: ObjectMetadata,
  throughStatus: boolean,
  attempts: Attempts,
): Promise<Rewritten & { unforetold?: true }> {
  const { connection, crd, version, signal, runId, gate, guard, onPatch } = pass;
  const options = { connection, crd, version, signal, runId, guard, onPatch, gate, throughStatus, attempts };
  const changed = (entries: ExactJson[]) => {
    const others = withoutOwn(entries);
    // An earlier one may be left.
    return hasOwn(entries) && others.length > 0 ? others : [...others, emptyEntry(crd, version)];
  };
  const change = (dryRun: boolean) => changeManagedFields({ ...options, dryRun, ifListed: true, leavesOwn: true }, object, changed);
  const tried = await change(true);
  const { managedFields } = tried.rewritten;
  if (hasMerged(tried.sent, managedFields)) throw unknownLosses(object, TEN_MANAGERS);
  // From Kubernetes 1.37 on, the API server then leaves them as they were.
  if (namesGoneVersion(crd, managedFields) && !hasOwn(managedFields)) throw unknownLosses(object, UNCHANGEABLE);
  const loss = await lostByChange({ ...pass, throughStatus }, object, tried);
  if (loss) {
    const error = new AppError("precondition_failed", lostByChangeWords(loss));
    throw asAnswerAbout(object, { status: 422, reason: "WouldLose" }, error);
  }
  const { rewritten, altered } = await change(false);
  return { ...rewritten, ...(altered && !tried.altered && { unforetold: true }) };
}
