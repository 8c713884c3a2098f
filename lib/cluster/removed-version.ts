import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { time } from "#lib/contract/time.ts";
import type { RemovedVersion } from "#lib/domain/crd.ts";
import { exactText, parseExactJson } from "#lib/domain/exact-json.ts";
import { isVersionSpec, type VersionSpec } from "#lib/domain/version-spec.ts";

/** The most that is kept: all annotations together may hold 256 KiB, and others want theirs. */
const KEPT_MAX_BYTES = 64 * 1024;
/** Nobody's schema is larger: etcd takes a megabyte and a half. */
const SPEC_MAX_BYTES = 8 * 1024 * 1024;

const removedSchema = z.object({ version: z.string(), removedAt: time, by: z.string().nullable(), gzip: z.base64() });

/** The annotation that keeps a version for its undo; null when it does not fit, compressed. */
export function removedVersionText(removed: RemovedVersion, spec: VersionSpec): string | null {
  const gzip = gzipSync(exactText(spec), { level: 9 }).toString("base64");
  const text = JSON.stringify({ ...removed, gzip });
  return Buffer.byteLength(text) <= KEPT_MAX_BYTES ? text : null;
}

/** What an annotation keeps; null for what is no such annotation. */
export function removedVersionOf(annotation: string | undefined): RemovedVersion | null {
  const parsed = parsedAnnotation(annotation);
  return parsed && { version: parsed.version, removedAt: parsed.removedAt, by: parsed.by };
}

/** The entry of spec.versions that an annotation keeps, exactly as it was; null when it can't be read, or is another version's. */
export function removedSpecOf(annotation: string | undefined, version: string): VersionSpec | null {
  const parsed = parsedAnnotation(annotation);
  if (parsed?.version !== version) return null;
  try {
    const text = gunzipSync(Buffer.from(parsed.gzip, "base64"), { maxOutputLength: SPEC_MAX_BYTES }).toString("utf8");
    const spec = parseExactJson(text);
    return isVersionSpec(spec) && spec.name === version ? spec : null;
  } catch {
    return null;
  }
}

function parsedAnnotation(annotation: string | undefined) {
  try {
    return annotation === undefined ? null : removedSchema.parse(JSON.parse(annotation));
  } catch {
    return null;
  }
}
