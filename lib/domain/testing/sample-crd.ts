import type { Crd, CrdVersion } from "#lib/domain/definition/crd.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { EMPTY_RECORD, type Proof, type RewriteRecord, type SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { crdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";

/** A definition for tests: v1 is the storage version, v1beta1 is served too, both are stored versions, nothing was rewritten. */
export function sampleCrd(changes: Partial<Crd> = {}): Crd {
  return {
    name: "crontabs.example.com",
    uid: "5f2d8a10-0000-4000-8000-000000000001",
    generation: 2,
    resourceVersion: "1000",
    group: "example.com",
    kind: "CronTab",
    plural: "crontabs",
    names: { singular: "crontab", listKind: "CronTabList", shortNames: ["ct"], categories: [] },
    acceptedNames: null,
    scope: "Namespaced",
    versions: [sampleVersion("v1beta1"), sampleVersion("v1", { storage: true })],
    storedVersions: ["v1beta1", "v1"],
    shrankWithoutProof: [],
    etcdCount: null,
    managedFieldsCount: null,
    migrations: [],
    migrationsListed: false,
    conversion: { strategy: "None" },
    conditions: [{ type: "Established", status: "True", reason: "InitialNamesAccepted", message: "" }],
    deletionTimestamp: null,
    finalizers: [],
    specChangedAt: "2026-01-01T00:00:00Z",
    owner: null,
    settleSeconds: 65,
    claims: { proof: false, settlePoint: false, dryRun: false },
    otherAnnotations: { bytes: 0, largest: null },
    record: null,
    rememberedDoubt: null,
    rememberedShrink: [],
    removedVersions: [],
    droppedConversion: null,
    ...changes,
  };
}

export function sampleVersion(name: string, changes: Partial<CrdVersion> = {}): CrdVersion {
  return { name, served: true, storage: false, deprecated: false, hasStatus: false, scale: null, customWarning: null, ...changes };
}

export function sampleRecord(changes: Partial<RewriteRecord> = {}): RewriteRecord {
  return { ...EMPTY_RECORD, ...changes };
}

/** A run that is rewriting and was renewed at noon. */
export function sampleRun(changes: Partial<Run> = {}): Run {
  return {
    id: "run-1",
    crd: "crontabs.example.com",
    phase: "rewriting",
    engine: "crdshift",
    storageVersion: "v1",
    startedBy: "alice",
    startedAt: "2026-01-02T11:59:00.000Z",
    settledAt: null,
    endedAt: null,
    settleResourceVersion: null,
    counts: { total: 100, rewritten: 40, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 60 },
    rewrittenAtLeast: false,
    provenObjects: null,
    ratePerSecond: 20,
    etaSeconds: 3,
    statusReason: null,
    settlesAt: null,
    retryAt: null,
    renewedAt: "2026-01-02T12:00:00.000Z",
    verify: "settle-point",
    rejections: [],
    maxPerSecond: null,
    pace: "normal",
    command: null,
    rates: { everySeconds: 1, perSecond: [] },
    throughStatus: { allowed: false, objects: 0 },
    ownership: { keep: false, kept: 0, lost: 0 },
    acceptedLosses: null,
    dryRun: null,
    heldBackBecause: null,
    takenOverAt: null,
    delegation: null,
    sent: null,
    crdshiftVersion: null,
    reasons: [],
    interruptions: [],
    caveats: [],
    ...changes,
  };
}

/** A proof that holds for the definition. */
export function sampleProof(crd: Crd, changes: Partial<Proof> = {}): Proof {
  return {
    ...identityOf(crd),
    settleResourceVersion: "900",
    settleSeconds: 65,
    verifiedResourceVersion: "950",
    objects: 1_500,
    verify: "settle-point",
    provenAt: "2026-01-02T12:00:00.000Z",
    runId: "run-1",
    acceptedLosses: null,
    signature: null,
    ...changes,
  };
}

/** A dry run that holds for the definition and found nothing. */
export function sampleDryRunRecord(crd: Crd, changes: Partial<DryRunRecord> = {}): DryRunRecord {
  return {
    ...identityOf(crd),
    id: "dry-run-1",
    startedBy: "alice",
    startedAt: "2026-01-02T11:57:00.000Z",
    endedAt: "2026-01-02T11:58:00.000Z",
    resourceVersion: "890",
    admission: "",
    total: 100,
    checked: 100,
    alreadyCurrent: 0,
    wouldBeRejected: 0,
    onlyRead: 0,
    cannotDryRun: 0,
    lossesKnown: true,
    lossesUnknownBecause: null,
    unknownMayPass: false,
    generationRises: 0,
    settled: true,
    losses: [],
    moreLosses: 0,
    signature: null,
    ...changes,
  };
}

/** A settle point that holds for the definition. */
export function sampleSettlePoint(crd: Crd, changes: Partial<SettlePoint> = {}): SettlePoint {
  return {
    ...identityOf(crd),
    resourceVersion: "900",
    takenAt: "2026-01-02T11:59:30.000Z",
    settleSeconds: 65,
    signature: null,
    ...changes,
  };
}

/** The definition with a proof that holds. */
export function provenCrd(changes: Partial<Crd> = {}): Crd {
  const crd = sampleCrd(changes);
  return { ...crd, record: sampleRecord({ proof: sampleProof(crd) }) };
}

function identityOf(crd: Crd) {
  return crdIdentity(crd) ?? { uid: crd.uid, generation: crd.generation, storageVersion: "v1" };
}

/** A whole count in etcd: by version, how many objects and the resourceVersion of the last one. */
export function sampleEtcdCount(
  versions: Record<string, [objects: number, lastResourceVersion: string]>,
  changes: Partial<EtcdCount> = {},
): EtcdCount {
  const entries = Object.entries(versions).map(
    ([name, [objects, lastResourceVersion]]) => [name, { objects, lastResourceVersion }] as const,
  );
  const count = { encrypted: 0, unreadable: 0, ...changes };
  return {
    revision: "1000",
    asOf: "2026-01-02T12:00:05.000Z",
    total: entries.reduce((sum, [, { objects }]) => sum + objects, count.encrypted + count.unreadable),
    versions: new Map(entries),
    ...count,
  };
}
