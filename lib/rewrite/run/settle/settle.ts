import { createHash } from "node:crypto";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { disprovedAt } from "#lib/cluster/definitions/evidence/disproved-at.ts";
import { noticedRestore, restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { noteRead } from "#lib/cluster/definitions/evidence/first-seen.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { firstThatLists } from "#lib/cluster/objects/version-to-read.ts";
import { readStorageVersionHash } from "#lib/cluster/transport/discovery.ts";
import { type Crd, hasCondition, storageVersion } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import type { SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { type CrdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import { CHANGED_LATELY, ownApiServices, unheededMs } from "#lib/rewrite/guards/require-own-objects.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { type SettleWait, settleWait } from "./settle-wait.ts";
import { type Renewals, watchRenewals } from "./watch-renewals.ts";

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
  const { connection, crdName, settleSeconds, gate, signal, onWait } = settling;
  const renewals = watchRenewals(settling);
  const startedAt = performance.now();
  const giveUpAt = startedAt + settleSeconds * 1_000 + GIVE_UP_AFTER_MS;
  for (;;) {
    const lastRestore = noticedRestore(connection);
    const { crd, serverTime } = await throughGate(gate, signal, () => readCrd(connection, crdName, signal));
    // What was read before it must not count as seen since: the same generation may begin again.
    if (restoredSince(connection, lastRestore)) continue;
    const waiting = await unsettled(settling, crd, serverTime ?? Date.now(), { renewals, startedAt });
    // All that it asked for was answered, so an outage is over.
    gate.progressed();
    const settlePoint = waiting ? null : await takeSettlePoint(settling, crd);
    if (settlePoint && compareResourceVersions(settlePoint.resourceVersion, crd.resourceVersion) >= 0) return settlePoint;
    const { because, ms } = waiting ?? OLDER_LIST;
    if (performance.now() > giveUpAt) throw new StopRun("failed", `The definition did not settle. ${because}`);
    onWait(because, ms === null ? null : Date.now() + ms);
    // Check again while waiting, so that a spec change ends the wait at once.
    await sleep(Math.min(ms ?? LOOK_AGAIN_MS, LOOK_AGAIN_MS), signal);
  }
}

type Waiting = Pick<SettleWait, "because"> & { ms: number | null };

// Both are in one etcd (valid-evidence.ts). What is above an older settle point may be stored at an older version.
const OLDER_LIST: Waiting = {
  because:
    "Waiting for a list of the objects that is no older than the definition: something in front of the API server answers from a cache.",
  ms: null,
};

async function unsettled(
  settling: Settling,
  crd: Crd,
  serverTime: number,
  { renewals, startedAt }: { renewals: Renewals; startedAt: number },
): Promise<Waiting | null> {
  const { connection, identity, settleSeconds, gate, signal } = settling;
  const change = identityChange(crd, identity);
  if (change) throw new StopRun("failed", `The definition changed while settling: ${change}.`);
  if (crd.deletionTimestamp) throw new StopRun("failed", "The definition is being deleted.");
  if (!storageVersion(crd)?.served) throw new StopRun("failed", `The storage version ${identity.storageVersion} is no longer served.`);
  if (!hasCondition(crd, "Established")) return { because: "Waiting for the API server to establish the definition.", ms: null };
  const lateAt = settleSeconds === 0 ? null : await renewals.look();
  const wait = settleWait(crd, {
    serverTime,
    settleSeconds,
    disprovedAt: disprovedAt(connection, crd.uid),
    lateAt,
    seen: noteRead(connection, crd),
    now: performance.now(),
  });
  if (wait) {
    renewals.restart();
    return wait;
  }
  const silent = renewals.silent();
  if (silent.length > 0) {
    const because =
      `Waiting for ${silent.join(", ")} to renew ${silent.length === 1 ? "its identity Lease" : "their identity Leases"}: an API server that hangs may still store ` +
      `objects at an older version. If its machine is off for good, delete the Lease: kubectl delete lease --namespace kube-system ${silent.join(" ")}`;
    return { because, ms: null };
  }
  const { apiServices } = await ownApiServices(connection, crd, gate, signal);
  const unheeded = unheededMs(apiServices, { startedAt, settleSeconds });
  if (unheeded > 0) return { because: CHANGED_LATELY, ms: unheeded };
  return (await advertised(settling, crd))
    ? null
    : { because: `An API server doesn't advertise ${identity.storageVersion} as the storage version yet.`, ms: null };
}

async function advertised({ connection, identity, gate, signal }: Settling, crd: Crd): Promise<boolean> {
  const expected = storageVersionHash(crd.group, identity.storageVersion, crd.kind);
  const resource = { group: crd.group, plural: crd.plural, version: identity.storageVersion };
  const ask = () => readStorageVersionHash(connection, resource, signal);
  const hashes = await throughGate(gate, signal, () => Promise.all(Array.from({ length: FRESH_CONNECTIONS }, ask)));
  return hashes.every((hash) => hash === expected);
}

async function takeSettlePoint({ connection, identity, settleSeconds, gate, signal }: Settling, crd: Crd): Promise<SettlePoint> {
  const { storageVersion } = identity;
  const list = (version: string, patient: boolean) =>
    throughGate(gate, signal, () => listObjects(connection, crd, { version, limit: 1, signal }), { patient });
  const versions = [storageVersion, ...otherServedVersions(crd, storageVersion)];
  const { resourceVersion } = (await firstThatLists(versions, (version) => list(version, false))) ?? (await list(storageVersion, true));
  return signed({ ...identity, resourceVersion, takenAt: new Date().toISOString(), settleSeconds, signature: null });
}

/**
 * The hash that discovery advertises for a storage version: base64 of the first 8 bytes of sha256("group/version/Kind").
 * Source: apiserver/pkg/endpoints/discovery/storageversionhash.go.
 */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
