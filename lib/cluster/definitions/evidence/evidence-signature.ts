import { createHmac, timingSafeEqual } from "node:crypto";
import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { isContradicted } from "#lib/domain/definition/contradiction.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { type Evidence, type Proof, type RewriteRecord, readableRecord, type SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import type { AcceptedLosses } from "#lib/domain/rewrite/run.ts";
import { readSetting } from "#lib/settings/env.ts";
import { isUndone, noteResigned, noteSigned } from "./evidence-before-restore.ts";
import { ownKey } from "./own-key.ts";
import { rememberedCounts } from "./remembered-counts.ts";
import { wasWithdrawn } from "./withdrawn-evidence.ts";

/**
 * The evidence with a signature of this installation. Anyone who may patch the definition can write its annotation, so unsigned evidence
 * is only a claim. The key is derived from CRDSHIFT_SESSION_KEYS; without them it is ownKey.
 */
export function signed<Part extends Evidence>(part: Part): Part {
  const now = withSignature(part);
  noteSigned(now.signature);
  return now;
}

/** What this installation signed as `before`, cut to fit, with a signature for what is left. It is no newer than it was. */
export function resigned<Part extends Evidence>(before: Part, cut: Part): Part {
  const now = withSignature(cut);
  noteResigned(before.signature, now.signature);
  return now;
}

function withSignature<Part extends Evidence>(part: Part): Part {
  const [key] = keys();
  return { ...part, signature: key ? mac(key, part).toString("base64") : null };
}

/** Whether this installation signed exactly this evidence, and this process has not withdrawn it since in that cluster. */
export function isOurs(cluster: ClusterAddress, part: Proof | SettlePoint | null): boolean {
  return part !== null && hasOurSignature(part) && !wasWithdrawn(cluster, part);
}

/** Whether this installation signed exactly this dry run, and etcd wasn't restored to before it. */
export function isOwnDryRun(cluster: ClusterAddress, dryRun: DryRunRecord): boolean {
  return hasOurSignature(dryRun) && !isUndone(cluster, dryRun);
}

/** What hasOurSignature has found with these keys: each list of thousands of definitions asks again about the evidence of most. */
const checked = new WeakMap<Evidence, { with: readonly Buffer[]; isOurs: boolean }>();

/** Whether this installation signed exactly this evidence, whatever has come to light since. */
export function hasOurSignature(part: Evidence | null): boolean {
  if (!part?.signature) return false;
  const all = keys();
  const known = checked.get(part);
  if (known?.with === all) return known.isOurs;
  const given = Buffer.from(part.signature, "base64");
  const isOurs = all.some((key) => isSameMac(given, mac(key, part)));
  checked.set(part, { with: all, isOurs });
  return isOurs;
}

function isSameMac(given: Buffer, right: Buffer | null): boolean {
  return right !== null && given.length === right.length && timingSafeEqual(given, right);
}

/**
 * The consent with a signature of this installation. Whoever may patch the definition can write a run into its annotation, and must not give
 * another person's consent with it.
 */
export function signedConsent(accepted: AcceptedLosses): AcceptedLosses {
  const [key] = keys();
  return { ...accepted, signature: (key && macOfConsent(key, accepted)?.toString("base64")) ?? null };
}

/** Whether this installation took exactly this consent. */
export function isOwnConsent(accepted: AcceptedLosses): boolean {
  const given = Buffer.from(accepted.signature ?? "", "base64");
  return keys().some((key) => isSameMac(given, macOfConsent(key, accepted)));
}

/** The definition without the evidence that this installation did not sign, or that its last etcd count contradicts. */
export function withOwnEvidence(cluster: ClusterAddress, crd: Crd): Crd {
  const record = readableRecord(crd);
  if (!record) return crd;
  const own = <Part extends Proof | SettlePoint>(part: Part | null) => (isOurs(cluster, part) ? part : null);
  const dryRun = record.dryRun && isOwnDryRun(cluster, record.dryRun) ? record.dryRun : null;
  const mine = { ...record, settlePoint: own(record.settlePoint), proof: own(record.proof), dryRun };
  // What is read anew has no count.
  const counted: Crd = {
    ...crd,
    claims: { proof: false, settlePoint: false, dryRun: false },
    record: mine,
    etcdCount: crd.etcdCount ?? rememberedCounts.get(cluster, crd.uid) ?? null,
  };
  const holding = <Part extends Proof | SettlePoint>(part: Part | null) => (part && isContradicted(counted, part) ? null : part);
  return { ...counted, record: { ...mine, settlePoint: holding(mine.settlePoint), proof: holding(mine.proof) } };
}

/** The record as one that anyone may have written. */
export function withoutSignatures(record: RewriteRecord): RewriteRecord {
  const unsigned = <Part extends Evidence | AcceptedLosses>(part: Part | null) => part && { ...part, signature: null };
  return {
    ...record,
    ...{ settlePoint: unsigned(record.settlePoint), proof: unsigned(record.proof), dryRun: unsigned(record.dryRun) },
    // A person may have taken a consent back since.
    runs: record.runs.map((run) => ({ ...run, acceptedLosses: unsigned(run.acceptedLosses) })),
  };
}

let derived: { from: readonly Buffer[]; keys: readonly Buffer[] } = { from: [], keys: [] };

/** The same ones for as long as the secrets are. */
function keys(): readonly Buffer[] {
  const configured = readSetting("CRDSHIFT_SESSION_KEYS");
  const secrets = configured.length > 0 ? configured : [ownKey()];
  const isKnown = secrets.length === derived.from.length && secrets.every((secret, index) => secret === derived.from[index]);
  // A key for one purpose each: https://datatracker.ietf.org/doc/html/rfc5869 (HKDF's info).
  const derive = (secret: Buffer) => createHmac("sha256", secret).update("crdshift.dev/rewrite").digest();
  if (!isKnown) derived = { from: secrets, keys: secrets.map(derive) };
  return derived.keys;
}

function mac(key: Buffer, part: Evidence): Buffer {
  const { kind, at, content } = claimOf(part);
  return macOf(key, [part.uid, part.generation, part.storageVersion, kind, at, ...content]);
}

function macOfConsent(key: Buffer, accepted: AcceptedLosses): Buffer | null {
  const { of } = accepted;
  return of && macOf(key, [of.uid, of.generation, of.storageVersion, "consent", accepted.at, ...contentOfAccepted(accepted)]);
}

// As crd-from-json.ts reads it back, where no text turns its direction.
function macOf(key: Buffer, claim: readonly unknown[]): Buffer {
  return createHmac("sha256", key)
    .update(plainText(JSON.stringify(claim)))
    .digest();
}

/** What kind of evidence it is, when it was made (RFC 3339), and what else is relied on, in a fixed order. */
function claimOf(part: Evidence): { kind: "settle-point" | "proof" | "dry-run"; at: string; content: unknown[] } {
  if ("takenAt" in part) return { kind: "settle-point", at: part.takenAt, content: [part.resourceVersion, part.settleSeconds] };
  if ("provenAt" in part) {
    const { settleResourceVersion, settleSeconds, verifiedResourceVersion, objects, verify, runId, acceptedLosses } = part;
    const content = [settleResourceVersion, settleSeconds, verifiedResourceVersion, objects, verify, runId];
    return { kind: "proof", at: part.provenAt, content: [...content, acceptedLosses && contentOfAccepted(acceptedLosses)] };
  }
  const content = [
    ...[part.generationRises, part.settled],
    ...[part.id, part.startedBy, part.startedAt, part.resourceVersion, part.total, part.checked, part.alreadyCurrent],
    ...[part.admission, part.wouldBeRejected, part.cannotDryRun, part.lossesKnown, part.moreLosses, contentOf(part.losses)],
    // An older crdshift signed none, and tried each object.
    ...(part.onlyRead > 0 ? [part.onlyRead] : []),
  ];
  return { kind: "dry-run", at: part.endedAt, content };
}

function contentOfAccepted({ by, at, dryRun, more, unseen, losses, sample }: AcceptedLosses): unknown[] {
  // An older crdshift signed none.
  return [by, at, dryRun, more, unseen, contentOf(losses), ...(sample ? [sample.checked, sample.total] : [])];
}

function contentOf(losses: AcceptedLosses["losses"]): unknown[] {
  return losses.map(({ kind, path, objects }) => [kind, path, objects]);
}
