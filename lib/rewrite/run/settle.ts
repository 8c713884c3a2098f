import { createHash } from "node:crypto";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { readStorageVersionHash } from "#lib/cluster/transport/discovery.ts";
import { clusterAnswer, isConversionFailure } from "#lib/cluster/transport/errors.ts";
import { type Crd, hasCondition, storageVersion } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { type CrdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import type { SettlePoint } from "#lib/domain/rewrite/rewrite-record.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { StopRun } from "./stop-run.ts";

export interface Settling {
  connection: Connection;
  crdName: string;
  identity: CrdIdentity;
  settleSeconds: number;
  gate: Gate;
  signal: AbortSignal;
  /** Called with the reason for waiting and its end (ms since the epoch, null if unknown). */
  onWait(because: string, until: number | null): void;
}

const FRESH_CONNECTIONS = 3;
const LOOK_AGAIN_MS = 1_000;
const GIVE_UP_AFTER_MS = 10 * 60_000;

/**
 * Waits until no request can be stored at an older version any more, then takes the settle point. A storage flip does not take effect
 * at once, and a slow request that began before it may end much later (kubernetes#130235), hence the fixed wait.
 * @throws StopRun if the definition changes meanwhile or does not settle within ten minutes after its wait.
 */
export async function settle(settling: Settling): Promise<SettlePoint> {
  const giveUpAt = Date.now() + settling.settleSeconds * 1_000 + GIVE_UP_AFTER_MS;
  for (;;) {
    const read = () => readCrd(settling.connection, settling.crdName, settling.signal);
    const { crd, serverTime } = await throughGate(settling.gate, settling.signal, read);
    const waiting = await unsettled(settling, crd, serverTime ?? Date.now());
    if (!waiting) return takeSettlePoint(settling, crd);
    if (Date.now() > giveUpAt) throw new StopRun("failed", `The definition did not settle: ${waiting.because}`);
    settling.onWait(waiting.because, waiting.ms === null ? null : Date.now() + waiting.ms);
    // Check again while waiting, so that a spec change ends the wait at once.
    await sleep(Math.min(waiting.ms ?? LOOK_AGAIN_MS, LOOK_AGAIN_MS), settling.signal);
  }
}

async function unsettled(settling: Settling, crd: Crd, serverTime: number): Promise<{ because: string; ms: number | null } | null> {
  const { identity, settleSeconds } = settling;
  const change = identityChange(crd, identity);
  if (change) throw new StopRun("failed", `The definition changed while settling: ${change}.`);
  if (crd.deletionTimestamp) throw new StopRun("failed", "The definition is being deleted.");
  if (!storageVersion(crd)?.served) throw new StopRun("failed", `The storage version ${identity.storageVersion} is no longer served.`);
  if (!hasCondition(crd, "Established")) return { because: "Waiting for the API server to establish the definition.", ms: null };
  const ms = settleWaitMs(crd, serverTime, settleSeconds);
  if (ms > 0) {
    const because = `The spec changed less than ${settleSeconds} s ago: a slow request may still be stored at an older version.`;
    return { because, ms };
  }
  return (await advertised(settling, crd))
    ? null
    : { because: `An API server doesn't advertise ${identity.storageVersion} as the storage version yet.`, ms: null };
}

/** The rest of the fixed wait, in ms, by the server's clock. Both times are cut to whole seconds, so it adds one second. */
export function settleWaitMs(crd: Crd, serverTime: number, settleSeconds: number): number {
  if (settleSeconds === 0) return 0;
  const seen = readableRecord(crd)?.generationSeen;
  const changedAt = crd.specChangedAt ?? (seen?.generation === crd.generation ? seen.at : new Date(serverTime).toISOString());
  const changed = Date.parse(changedAt);
  // An unreadable time counts as now: an unneeded wait is safer.
  return Math.max(0, (Number.isNaN(changed) ? serverTime : changed) + (settleSeconds + 1) * 1_000 - serverTime);
}

async function advertised({ connection, identity, gate, signal }: Settling, crd: Crd): Promise<boolean> {
  const expected = storageVersionHash(crd.group, identity.storageVersion, crd.kind);
  const resource = { group: crd.group, plural: crd.plural, version: identity.storageVersion };
  const ask = () => readStorageVersionHash(connection, resource, signal);
  const hashes = await throughGate(gate, signal, () => Promise.all(Array.from({ length: FRESH_CONNECTIONS }, ask)));
  return hashes.every((hash) => hash === expected);
}

async function takeSettlePoint({ connection, identity, settleSeconds, gate, signal }: Settling, crd: Crd): Promise<SettlePoint> {
  const { resourceVersion } = await listOne();
  return { ...identity, resourceVersion, takenAt: new Date().toISOString(), settleSeconds };

  // All versions of a resource are one list in etcd. If the first object can't be converted, another version works as well.
  async function listOne() {
    const list = (version: string) => () => listObjects(connection, crd, { version, limit: 1, signal });
    for (const version of [identity.storageVersion, ...otherServedVersions(crd, identity.storageVersion)]) {
      try {
        return await throughGate(gate, signal, list(version), { patient: false });
      } catch (error) {
        const answer = clusterAnswer(error);
        if (!answer || !isConversionFailure(answer)) throw error;
      }
    }
    return throughGate(gate, signal, list(identity.storageVersion));
  }
}

/**
 * The hash that discovery advertises for a storage version: base64 of the first 8 bytes of sha256("group/version/Kind").
 * Source: apiserver/pkg/endpoints/discovery/storageversionhash.go.
 */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
