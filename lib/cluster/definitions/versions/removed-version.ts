import { z } from "zod";
import type { RemovedVersion } from "#lib/domain/definition/crd.ts";
import { isVersionSpec, type VersionSpec } from "#lib/domain/versions/version-spec.ts";
import { type Kept, keptAnnotation, keptGzip, keptText, keptTime, keptUser, unkept } from "./kept-annotation.ts";

/** Schemas that fill the annotation when compressed come to half of this; parsing more would block the process for a second. */
const SPECS_MAX_BYTES = 4 * 1024 * 1024;
/** The version names that the API server accepts (DNS-1035), which never need escaping. */
const versionName = z
  .string()
  .max(63)
  .regex(/^[a-z]([-a-z0-9]*[a-z0-9])?$/);

const entrySchema = z.object({ version: versionName, removedAt: keptTime, by: keptUser, gzip: z.base64() });
const schema = z.looseObject({});
/** As isVersionSpec. */
const specSchema = z.union([
  z.object({ name: z.string(), schema }),
  z.object({ name: z.string(), served: z.boolean(), storage: z.boolean(), schema: schema.optional() }),
]);
const read = keptAnnotation(entrySchema, removedVersion, SPECS_MAX_BYTES);

/** The versions that an annotation keeps, newest first. If a name appears twice, the first counts. */
export function removedVersionsOf(annotation: string | undefined): RemovedVersion[] {
  return read(annotation).map(({ about }) => about);
}

/** The exact entry of spec.versions that an annotation keeps for a version; null if it keeps none. */
export function removedSpecOf(annotation: string | undefined, version: string): VersionSpec | null {
  const kept = read(annotation).find(({ about }) => about.version === version);
  const spec = kept && unkept(kept.gzip, SPECS_MAX_BYTES);
  return spec && isVersionSpec(spec) ? spec : null;
}

/**
 * The annotation that keeps a version for undo, plus the newest earlier versions that fit; null if nothing fits. If the version doesn't
 * fit by itself, it isn't kept, and neither is an earlier copy with its name, which would be outdated. `room`: the bytes that other
 * annotations leave.
 */
export function withRemovedVersion(
  annotation: string | undefined,
  removed: RemovedVersion,
  spec: VersionSpec,
  room?: number,
): string | null {
  const before = read(annotation);
  const gzip = keptGzip(spec, SPECS_MAX_BYTES);
  const newest = gzip === null ? null : { about: removed, gzip };
  const fits = newest !== null && keptText([newest], room) !== null;
  const kept = fits
    ? [newest, ...before.filter((older) => older.gzip !== gzip)]
    : before.filter(({ about }) => about.version !== removed.version);
  while (keptText(kept, room) === null && kept.length > 0) kept.pop();
  return annotationText(kept);
}

/** The annotation without the version that removedSpecOf would return; null if nothing is left. */
export function withoutRemovedVersion(annotation: string | undefined, version: string): string | null {
  const kept = read(annotation);
  const newest = kept.find(({ about }) => about.version === version);
  return annotationText(kept.filter((one) => one !== newest));
}

function annotationText(kept: readonly Kept<RemovedVersion>[]): string | null {
  return kept.length > 0 ? keptText(kept) : null;
}

function removedVersion({ version, removedAt, by }: z.infer<typeof entrySchema>, part: unknown): RemovedVersion | null {
  return specSchema.safeParse(part).data?.name === version ? { version, removedAt, by } : null;
}
