import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import { conversionFromJson, conversionSchema, droppedConversionOf } from "#lib/cluster/conversion/conversion-from-json.ts";
import { claimsIn } from "#lib/cluster/definitions/evidence/claims-in.ts";
import { withoutSignatures } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { rememberedDoubt } from "#lib/cluster/definitions/evidence/remembered-doubt.ts";
import { rememberedShrink } from "#lib/cluster/definitions/evidence/remembered-shrink.ts";
import { withUnrecordedEnd } from "#lib/cluster/definitions/evidence/unrecorded-ends.ts";
import { removedVersionsOf } from "#lib/cluster/definitions/versions/removed-version.ts";
import { boundedList } from "#lib/cluster/transport/bounded-list.ts";
import { boundedText } from "#lib/cluster/transport/bounded-text.ts";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { rewriteRecordSchema } from "#lib/contract/rewrite/rewrite-record.ts";
import { DROPPED_ANNOTATION } from "#lib/domain/conversion/conversion-change.ts";
import type { AcceptedNames, Crd } from "#lib/domain/definition/crd.ts";
import { VERSION_MAX_LENGTH } from "#lib/domain/definition/stored-versions.ts";
import { FIELD_MANAGER } from "#lib/domain/objects/own-entries.ts";
import { RECORD_ANNOTATION, RECORD_MAX_BYTES } from "#lib/domain/record/record-room.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { REMOVED_ANNOTATION } from "#lib/domain/versions/version-spec.ts";
import { readSetting } from "#lib/settings/env.ts";
import { type OwnerEvidence, ownerOf } from "./owner-of.ts";
import { shareParts } from "./share-parts.ts";

// Any field may be missing from a watch event, and one odd definition must not break the fleet.
const text = z.string().catch("");

const words = z.string().transform(plainText);

const flag = z.boolean().catch(false);

const names = z.array(z.string()).catch([]);

const isRecord = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

// Checking each with a schema takes several times as long as parsing it, and a megabyte has a hundred thousand.
const fields = z.custom<Record<string, unknown>>(isRecord).catch({});

const annotationsSchema = fields.transform(measuredAnnotations);

/** Whoever may patch /status can list tens of thousands; the API server's own controllers set a handful. */
const MOST_CONDITIONS = 1_000;

const noNames = { plural: "", singular: "", kind: "", listKind: "", shortNames: [], categories: [] };

/** Names as in spec.names and status.acceptedNames; missing ones are empty. */
const namesSchema = z
  .object({ plural: text, singular: text, kind: text, listKind: text, shortNames: names, categories: names })
  .catch(noNames);

const managedFieldsEntry = z.object({
  manager: text,
  subresource: text,
  time: text,
  fieldsV1: fields,
});

/** The annotations in the `f:metadata` of a managedFields entry. */
const ownedAnnotations = z
  .object({ "f:annotations": fields })
  .transform((metadata) => metadata["f:annotations"])
  .catch({});

const scaleSchema = z.object({
  specReplicasPath: words.catch(""),
  statusReplicasPath: words.catch(""),
  labelSelectorPath: words.nullable().catch(null),
});

/** In characters. A schema's mistakes take thousands, and the page says to fix what the message names. */
const CONDITION_MAX_LENGTH = 4_096;

const conditionText = z
  .string()
  .transform((text) => boundedText(text, CONDITION_MAX_LENGTH))
  .catch("");

const conditionSchema = z.object({
  type: conditionText,
  status: z.enum(["True", "False", "Unknown"]).catch("Unknown"),
  reason: conditionText,
  message: conditionText,
  observedGeneration: z.int().optional().catch(undefined),
});

const crdSchema = z.object({
  metadata: z.object({
    name: z.string(),
    uid: text,
    generation: z.int().catch(0),
    resourceVersion: text,
    deletionTimestamp: z.string().optional().catch(undefined),
    finalizers: z.array(z.string()).catch([]),
    annotations: annotationsSchema,
    labels: fields,
    managedFields: z.array(managedFieldsEntry).catch([]),
    ownerReferences: z.array(z.object({ kind: text, name: text, controller: flag })).catch([]),
  }),
  spec: z.object({
    group: text,
    scope: z.enum(["Namespaced", "Cluster"]).catch("Namespaced"),
    names: namesSchema,
    versions: z
      .array(
        z.object({
          name: z.string(),
          served: flag,
          storage: flag,
          deprecated: flag,
          deprecationWarning: words.optional().catch(undefined),
          subresources: z
            .object({ status: z.unknown().optional(), scale: scaleSchema.nullable().catch(null) })
            .optional()
            .catch(undefined),
        }),
      )
      .catch([]),
    conversion: conversionSchema,
  }),
  status: z
    .object({
      storedVersions: z.array(z.string()).catch([]),
      acceptedNames: namesSchema,
      conditions: boundedList(conditionSchema, MOST_CONDITIONS),
    })
    .catch({ storedVersions: [], acceptedNames: noNames, conditions: [] }),
});
type CrdJson = z.infer<typeof crdSchema>;

/** The definition without its schemas, as `cluster` sent it. Throws ZodError if it has no name or spec. */
export function crdFromJson(cluster: ClusterAddress, json: unknown): Crd {
  const { metadata, spec, status } = crdSchema.parse(json);
  const recorded = recordOf(metadata);
  const isReadable = recorded !== null && recorded !== "unreadable";
  const record = isReadable ? withUnrecordedEnd(cluster, metadata, recorded) : recorded;
  const crd: Crd = {
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation,
    resourceVersion: metadata.resourceVersion,
    group: spec.group,
    ...namesFromJson(spec.names, status.acceptedNames),
    scope: spec.scope,
    versions: spec.versions.map(({ name, served, storage, deprecated, deprecationWarning, subresources }) => ({
      name,
      served,
      storage,
      deprecated,
      hasStatus: subresources?.status !== undefined,
      scale: subresources?.scale ?? null,
      customWarning: deprecationWarning ?? null,
    })),
    storedVersions: boundedStoredVersions(
      spec.versions.map(({ name }) => name),
      status.storedVersions,
    ),
    shrankWithoutProof: [],
    etcdCount: null,
    managedFieldsCount: null,
    migrations: [],
    migrationsListed: false,
    conversion: conversionFromJson(spec.conversion),
    conditions: status.conditions,
    deletionTimestamp: metadata.deletionTimestamp ?? null,
    finalizers: metadata.finalizers,
    specChangedAt: specChangedAt(metadata.managedFields),
    owner: ownerOf(ownerEvidence(metadata)),
    settleSeconds: readSetting("CRDSHIFT_SETTLE_SECONDS"),
    otherAnnotations: metadata.annotations.others,
    record,
    rememberedDoubt: null,
    rememberedShrink: [],
    claims: claimsIn(cluster, { record }),
    removedVersions: removedVersionsOf(metadata.annotations.texts[REMOVED_ANNOTATION]),
    droppedConversion: droppedConversionOf(metadata.annotations.texts[DROPPED_ANNOTATION]),
  };
  const known = { ...crd, rememberedDoubt: rememberedDoubt(cluster, crd) };
  return shareParts(cluster, { ...known, rememberedShrink: rememberedShrink(cluster, known) });
}

const MOST_MISTAKES = 100;

// Whoever may patch /status can list a hundred thousand versions, or one of a megabyte, which every sentence about them would repeat.
// All versions of the spec are kept, once each, and of the rest, which are mistakes, only the first.
function boundedStoredVersions(names: readonly string[], stored: readonly string[]): string[] {
  const known = new Set(names);
  const kept: string[] = [];
  let mistakes = 0;
  for (const name of stored) {
    const isKnown = known.delete(name);
    if (!isKnown) mistakes += 1;
    if (isKnown || mistakes <= MOST_MISTAKES) kept.push(isKnown ? name : boundedText(name, VERSION_MAX_LENGTH));
  }
  return kept;
}

// Only entries that own part of the spec count: crdshift's own annotation writes must not look like spec changes.
function specChangedAt(entries: CrdJson["metadata"]["managedFields"]): string | null {
  const times = entriesOfSpec(entries).flatMap(({ time }) => time || []);
  return times.length ? times.reduce((newest, time) => (Date.parse(time) > Date.parse(newest) ? time : newest)) : null;
}

function ownerEvidence({ labels, annotations, ownerReferences, managedFields }: CrdJson["metadata"]): OwnerEvidence {
  return {
    labels,
    annotations: annotations.texts,
    ownerReferences,
    specManagers: entriesOfSpec(managedFields).map(({ manager }) => manager),
  };
}

function entriesOfSpec(entries: CrdJson["metadata"]["managedFields"]) {
  return entries.filter(({ subresource, fieldsV1 }) => !subresource && "f:spec" in fieldsV1);
}

interface MeasuredAnnotations {
  texts: Record<string, string>;
  /** All but the record. */
  others: Crd["otherAnnotations"];
}

// In one pass, without a copy: there may be 45,000, and another pass, or a list of them, takes as long as parsing them.
function measuredAnnotations(annotations: Record<string, unknown>): MeasuredAnnotations {
  const others: Crd["otherAnnotations"] = { bytes: 0, largest: null };
  for (const name in annotations) {
    const value = annotations[name];
    if (typeof value !== "string") return { texts: {}, others: { bytes: 0, largest: null } };
    if (name === RECORD_ANNOTATION) continue;
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value);
    others.bytes += bytes;
    if (others.largest === null || bytes > others.largest.bytes) others.largest = { name, bytes };
  }
  // Each is text, as just checked.
  return { texts: annotations as Record<string, string>, others };
}

/** Twice of what crdshift writes. Anyone may write more, and each read of the definition would take a tenth of a second. */
const RECORD_MAX_LENGTH = 2 * RECORD_MAX_BYTES;

/** Apart from the rest, which a newer crdshift may have written. */
const ownerSchema = z.looseObject({ uid: z.string().nullish() });

function recordOf({ name, uid, annotations, managedFields }: CrdJson["metadata"]): Crd["record"] {
  const annotation = annotations.texts[RECORD_ANNOTATION];
  if (annotation === undefined) return null;
  if (annotation.length > RECORD_MAX_LENGTH) return "unreadable";
  try {
    const parsed = parsedPlain(annotation);
    // Whoever replaces a definition takes its annotations along, and none of its objects. Earlier records don't say whose they are.
    if ((ownerSchema.parse(parsed).uid ?? uid) !== uid) return null;
    const record = ofDefinition(name, rewriteRecordSchema.parse(parsed));
    return isWrittenByCrdshift(managedFields) ? record : withoutSignatures(record);
  } catch {
    return "unreadable";
  }
}

// Whoever may patch one definition can copy another one's record there. Pages and commands go by what a run names: they would meet its run.
function ofDefinition(name: string, record: RewriteRecord): RewriteRecord {
  return { ...record, runs: record.runs.filter(({ crd }) => crd === name) };
}

// What someone else wrote back may be older than the objects, as after a restore of etcd, although this installation once signed it.
function isWrittenByCrdshift(entries: CrdJson["metadata"]["managedFields"]): boolean {
  const own = entries.filter(({ manager, subresource }) => manager === FIELD_MANAGER && !subresource);
  return own.some(({ fieldsV1 }) => `f:${RECORD_ANNOTATION}` in ownedAnnotations.parse(fieldsV1["f:metadata"]));
}

// Characters that change the text direction may be literal or escaped. Escapes are rare, and JSON.parse is slow with a reviver.
function parsedPlain(json: string): unknown {
  const isPlain = !json.includes("\\u") && plainText(json) === json;
  return JSON.parse(json, isPlain ? undefined : (_, value: unknown) => (typeof value === "string" ? plainText(value) : value));
}
type NamesJson = z.infer<typeof namesSchema>;

/** The names that a definition requests, and the accepted ones if they differ. */
function namesFromJson(asked: NamesJson, accepted: NamesJson): Pick<Crd, "kind" | "plural" | "names" | "acceptedNames"> {
  const { kind, plural, ...rest } = asked;
  const isAccepted = isDeepStrictEqual(thoseThatCollide(asked), thoseThatCollide(accepted));
  return { kind, plural, names: rest, acceptedNames: isAccepted ? null : thoseThatCollide(accepted) };
}

function thoseThatCollide({ plural, singular, kind, listKind, shortNames }: NamesJson): AcceptedNames {
  return { plural, singular, kind, listKind, shortNames };
}
