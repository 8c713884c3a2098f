import { z } from "zod";
import { migrationSchema, otherEnginesSchema } from "#lib/contract/rewrite/migration.ts";
import { dryRunRecordSchema, proofSchema } from "#lib/contract/rewrite/rewrite-record.ts";
import { runSchema } from "#lib/contract/rewrite/run.ts";
import { time } from "#lib/contract/time.ts";
import { versionNames } from "#lib/contract/version-names.ts";
import { proofStandings } from "#lib/domain/audit/proof-standing.ts";
import { adviceTones } from "#lib/domain/definition/condition-advice.ts";
import { crdStates } from "#lib/domain/definition/crd-state.ts";
import { nameRoles } from "#lib/domain/definition/name-collisions.ts";
import type { DefinitionBasis } from "#lib/domain/objects/basis-of-bounds.ts";
import { removalSchema } from "./removal.ts";

/** Explanation and next step for each of the first 20 conditions, in the definition's order. */
const conditionAdviceSchema = z.object({
  type: z.string(),
  tone: z.enum(adviceTones),
  meaning: z.string(),
  /** Null when there is nothing to do. */
  nextStep: z.string().nullable(),
  /** Requested names that are taken, with the definition that holds each; empty except for the first NamesAccepted. */
  collisions: z.array(
    z.object({
      role: z.enum(nameRoles),
      name: z.string(),
      heldBy: z.object({ crd: z.string(), role: z.enum(nameRoles) }),
    }),
  ),
});

export const crdVersionSchema = z.object({
  name: z.string(),
  served: z.boolean(),
  storage: z.boolean(),
  deprecated: z.boolean(),
  /** Text of the Warning header that clients get; null when not deprecated. */
  deprecationWarning: z.string().nullable(),
  /** Custom text from the spec; null without one. */
  customWarning: z.string().nullable(),
  /** Explains its place in priority order. */
  priorityReason: z.string(),
});
export type CrdVersion = z.infer<typeof crdVersionSchema>;

/** Where a total comes from. `metrics` is approximate (it lags by minutes); the last three come with total null. */
export const totalBases = ["list", "metrics", "denied", "failed", "unknown"] as const;

export const objectTotalSchema = z.object({
  total: z.int().nullable(),
  basis: z.enum(totalBases),
  /** When it was seen; null if never. */
  asOf: time.nullable(),
  /** The cluster's message when basis is denied or failed. */
  message: z.string().nullable(),
});
export type ObjectTotal = z.infer<typeof objectTotalSchema>;

export const crdSummarySchema = z.object({
  name: z.string(),
  uid: z.string(),
  group: z.string(),
  kind: z.string(),
  plural: z.string(),
  scope: z.enum(["Namespaced", "Cluster"]),
  generation: z.int(),
  /** In priority order. Of this and the two lists of stored versions, a list of definitions and an event have the first twenty. */
  versions: z.array(crdVersionSchema),
  preferredVersion: z.string().nullable(),
  storageVersion: z.string().nullable(),
  storedVersions: z.array(z.string()),
  leftoverVersions: z.array(z.string()),
  state: z.enum(crdStates),
  stateReason: z.string(),
  conversion: z.enum(["None", "Webhook"]),
  objects: objectTotalSchema,
  /** The live run, if any. */
  activeRun: runSchema.nullable(),
});
export type CrdSummary = z.infer<typeof crdSummarySchema>;

export const crdListSchema = z.object({
  items: z.array(crdSummarySchema),
  resourceVersion: z.string(),
  /** What the states rest on that other engines' migrations make. */
  otherEngines: otherEnginesSchema,
  asOf: time,
  stale: z.boolean(),
});
export type CrdList = z.infer<typeof crdListSchema>;

/** Whether an action is possible now; `refusal` says why not and what to do, null when it is possible. */
const actionSchema = z.object({ refusal: z.string().nullable() });

/** Paths inside an object, as in `.spec.replicas`. */
const scaleSchema = z.object({
  specReplicasPath: z.string(),
  statusReplicasPath: z.string(),
  labelSelectorPath: z.string().nullable(),
});

const heldVersionsSchema = z.array(z.object({ version: z.string(), objects: z.int() }));

/** What bounds on the objects stored in each version rest on if etcd isn't read. */
export const definitionBases = ["proof", "settle-point", "declared", "none"] as const satisfies readonly DefinitionBasis[];

export const crdDetailSchema = crdSummarySchema.extend({
  uid: z.string(),
  resourceVersion: z.string(),
  /** With the uid, the generation, and storedVersions: whether bounds that were counted earlier still hold. */
  basisOfBounds: z.enum(definitionBases),
  /** `blocks`: the API server's error text when a new spec drops that version. */
  leftovers: z.array(z.object({ version: z.string(), blocks: z.string() })),
  /** Versions removed from storedVersions without a proof: repair, then rewrite. */
  shrankWithoutProof: z.array(z.string()),
  /** How the last etcd count contradicts storedVersions or the proof; null when it doesn't. */
  contradiction: z.object({ asOf: time, unlisted: heldVersionsSchema, disproved: heldVersionsSchema }).nullable(),
  /** Objects that server-side apply fails for, by the last count, if that is what blocks the definition; otherwise null. */
  brokenApplies: z.object({ asOf: time, versions: z.array(z.string()), objects: z.int(), atLeast: z.boolean() }).nullable(),
  /** Migrations by other engines, newest first, including those that crdshift delegated to. */
  migrations: z.array(migrationSchema),
  /** What `migrations` rests on: none of an engine that couldn't be read, or wasn't yet, says nothing. */
  otherEngines: otherEnginesSchema,
  /** Number of migrations left out: older ones first, running ones last. */
  moreMigrations: z.int(),
  /** Versions that storedVersions lacks although objects are, or may be, stored in them. */
  missingStoredVersions: z.array(z.string()),
  /** The proof as written, with what it is worth and what has changed since; null when there is none. */
  proof: proofSchema.extend({ standing: z.enum(proofStandings), invalidBecause: z.string().nullable() }).nullable(),
  /** The newest completed dry run, with what has changed since; null when there is none. */
  dryRun: dryRunRecordSchema.extend({ invalidBecause: z.string().nullable() }).nullable(),
  /** Whether the storage version has the subresource `/status`. */
  hasStatus: z.boolean(),
  /** The newest run, live or ended. */
  run: runSchema.nullable(),
  /** The runs on record, newest first: a success among them is worth no more than the proof above. */
  runs: z.array(runSchema.pick({ id: true, phase: true })),
  owner: z.string().nullable(),
  /** Where the conversion webhook is called; null with strategy None. */
  conversionTarget: z.string().nullable(),
  actions: z.object({ rewrite: actionSchema, resume: actionSchema, prune: actionSchema, restore: actionSchema, clean: actionSchema }),
  /** The last prune by crdshift, for its undo. */
  lastPrune: z.object({ versions: z.array(z.string()), prunedAt: time }).nullable(),
  /** Versions that crdshift removed and can put back unchanged, newest first. */
  removedVersions: z.array(z.object({ version: z.string(), removedAt: time, by: z.string().nullable() })),
  /** The last conversion webhook that crdshift dropped and can put back unchanged; null when there is none. */
  droppedConversion: z.object({ target: z.string(), droppedAt: time, by: z.string().nullable() }).nullable(),
  /** Removal progress of each version, including removed ones that can be put back. */
  removals: z.array(removalSchema),
  /** RFC 3339: when the definition was deleted, while it waits for its finalizers. */
  deletionTimestamp: time.nullable(),
  /** Of the definition itself, the first hundred. */
  finalizers: z.array(z.string()),
  /** The names of spec.names beside kind and plural: of each list, the first hundred. */
  names: z.object({ singular: z.string(), listKind: z.string(), shortNames: z.array(z.string()), categories: z.array(z.string()) }),
  /** Accepted names, the first hundred short ones, empty where none is accepted; null when they match the spec. */
  acceptedNames: z
    .object({ plural: z.string(), singular: z.string(), kind: z.string(), listKind: z.string(), shortNames: z.array(z.string()) })
    .nullable(),
  /** Of every version, in priority order. */
  subresources: z.array(z.object({ version: z.string(), status: z.boolean(), scale: scaleSchema.nullable() })),
  /** In the definition's order. */
  conditions: z.array(
    z.object({ type: z.string(), status: z.enum(["True", "False", "Unknown"]), reason: z.string(), message: z.string() }),
  ),
  conditionAdvice: z.array(conditionAdviceSchema),
  /** A restore of etcd that this crdshift has noticed, unless it has proven the definition since; otherwise null. */
  restoredEtcd: z.object({ at: time, from: z.string(), to: z.string() }).nullable(),
  /** The pattern that protects it; a change then requires its name and a reason. Null when unprotected. */
  protection: z.string().nullable(),
  /** When the cluster last told of its definitions. */
  asOf: time,
  /** Whether it has stopped telling, so that the definition may have changed since. */
  stale: z.boolean(),
});
export type CrdDetail = z.infer<typeof crdDetailSchema>;

/** In characters: of a Kubernetes object's name. */
const NAME_MAX_LENGTH = 253;

/** Body of POST …/stored-versions/prune: `confirm` is the CRD's name. */
export const pruneSchema = z.strictObject({ confirm: z.string().max(NAME_MAX_LENGTH) });

/** Far more than a definition has, and few enough to look each up. */
const MOST_RESTORED = 500;

/** Body of POST …/stored-versions/restore. */
export const restoreSchema = z.strictObject({
  versions: versionNames(MOST_RESTORED),
});
export type ConditionAdvice = z.infer<typeof conditionAdviceSchema>;

/**
 * Response of PATCH …/crds/{crd}/versions/{version}: the definition. `warning`: how many objects were checked for losses before the
 * storage flag moved, if not all; otherwise null.
 */
export const changedVersionSchema = crdDetailSchema.extend({ warning: z.string().nullable() });
export type ChangedVersionDetail = z.infer<typeof changedVersionSchema>;
