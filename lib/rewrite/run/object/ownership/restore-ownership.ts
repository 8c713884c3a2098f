import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { isGoneVersion, namesGoneVersion } from "#lib/domain/definition/broken-applies.ts";
import type { ObjectLoss } from "#lib/domain/losses/losses.ts";
import { carryOver, mayCarryOver, withoutMerged } from "#lib/domain/objects/managed-fields.ts";
import { withoutOwn } from "#lib/domain/objects/own-entries.ts";
import { changeManagedFields } from "#lib/rewrite/managed-fields/change-managed-fields.ts";
import type { ObjectRejection } from "#lib/rewrite/run/object/request/object-answer.ts";
import { requestForObject } from "#lib/rewrite/run/object/request/request-for-object.ts";
import type { Sending } from "#lib/rewrite/run/object/request/send-aside.ts";
import { lostIfRelabeled, relabeled } from "./lost-if-relabeled.ts";
import { withLaterEntries } from "./with-later-entries.ts";

const MAX_ATTEMPTS = 3;
/** With a webhook, more attempts further apart: if one of several instances is down or stopping, only some calls fail. */
const MAX_ATTEMPTS_WITH_WEBHOOK = 7;
/** As they were, and with the storage version: where a loss was accepted, it is to be expected of every object. */
const MAX_ATTEMPTS_IF_ACCEPTED = 2;
/** More than elsewhere: whoever gives up here has lost the entries. */
const MAX_FAILURES = 10;
const BACKOFF = { firstMs: 200, maxMs: 3_000 };

/**
 * Puts back managedFields, as `object` has them, that crdshift's own patch just emptied, which the API server does silently if the
 * conversion webhook fails between two of its calls, or of which it merged some. Waits until conversion works, then writes the listed
 * entries with a test of the resourceVersion. Those of a version that is gone then name the storage version: before Kubernetes 1.37, the
 * API server would empty them again. Someone who has written since has left the managedFields empty, or has added an entry, which stays. A
 * reset by hand in between looks the same. Makes fewer attempts if the loss was accepted.
 * @returns whether they were put back, or "lost" if they own fewer fields than before; "emptied" if the API server empties them
 * again although conversion works; or that the object is gone, or why it can't be written.
 */
export async function restoreOwnership(
  sending: Sending & { version: string; isCurrent?: boolean; guard?: { isOff: boolean; accepts(loss: ObjectLoss): boolean } },
  object: ObjectMetadata,
  { isLossAccepted = false } = {},
): Promise<"kept" | "lost" | "emptied" | { kind: "gone" } | ObjectRejection> {
  const { connection, crd, version, signal, runId, gate, onPatch } = sending;
  const { guard, isCurrent = false } = sending;
  const options = { signal, isCurrent, ...(runId && { runId }), ...(onPatch && { onPatch }), ...(guard && { guard }) };
  const named = new Set(object.writes.map((write) => write.version));
  const converted = crd.versions.filter(({ name, served }) => served && name !== version && named.has(name));
  const isConverted = crd.conversion.strategy === "Webhook";
  const isGone = (named: string) => isGoneVersion(crd, named);
  // Up to 1.36, also entries of a served version whose schema lacks a default: then those name the storage version, too.
  let isEmptiedAgain = false;
  const restore = async () => {
    let ownsLess = false;
    for (const { name } of converted) {
      await gate.whenReleased(signal);
      await readObjectMetadata(connection, crd, name, object, options);
    }
    // Keep the entries of other writers since then. With crdshift's own, there may be one too many again.
    const { rewritten } = await changeManagedFields<never>({ connection, crd, version, gate, ...options }, object, async (entries) => {
      const together = await withLaterEntries(sending, object, withoutOwn(withoutMerged(entries)));
      const all = together.entries;
      ownsLess = together.ownsLess;
      if (!isEmptiedAgain && !namesGoneVersion(crd, all)) return carryOver(all, () => false, { apiVersion: "" });
      const isOld = isEmptiedAgain ? (named: string) => mayCarryOver(crd, named) : isGone;
      ownsLess ||= (await lostIfRelabeled(sending, all, isOld)).length > 0;
      return relabeled(sending, all, isOld);
    });
    if (!rewritten.owned) return "emptied";
    return ownsLess ? "lost" : "kept";
  };
  const attempts = isLossAccepted ? MAX_ATTEMPTS_IF_ACCEPTED : isConverted ? MAX_ATTEMPTS_WITH_WEBHOOK : MAX_ATTEMPTS;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const how = { effect: { stored: () => true }, maxAttempts: MAX_FAILURES, goesOn: true };
    const answer = await requestForObject(sending, object, restore, how);
    if (answer.kind !== "answered") return answer;
    if (answer.value !== "emptied") return answer.value;
    isEmptiedAgain = true;
    if (isConverted && attempt < attempts) await sleep(jitteredBackoffMs(attempt - 1, BACKOFF), signal);
  }
  return "emptied";
}
