import { gunzipSync, gzipSync } from "node:zlib";
import { type ZodType, z } from "zod";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { time } from "#lib/contract/time.ts";
import { countValues } from "#lib/domain/exact-json/count-values.ts";
import { type ExactJson, exactText, nestsWithin, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";

/** The most that one annotation may hold: all annotations share 256 KiB, and other tools need some of it. */
const KEPT_MAX_BYTES = 64 * 1024;
/** No annotation that crdshift writes has more: the smallest part takes more than a hundred bytes. */
const MOST_ENTRIES = 500;
/** More than a definition has. A few kilobytes may unpack to a million empty lists, which take a third of a second to read. */
const MOST_VALUES = 50_000;
/** How many bytes one byte of gzip may become at most: zlib.net/zlib_tech.html, "Maximum Compression Factor". */
const MOST_EXPANSION = 1_032;
/** Clocks never differ by more than this. */
const AHEAD_MAX_MS = 24 * 60 * 60 * 1000;
const USER_MAX = 256;
/** Every read of a definition needs its kept parts, and unpacking a large schema takes milliseconds. */
const REMEMBERED = 48;

/** A compressed part of a definition, with a description of it. */
export interface Kept<About> {
  about: About;
  gzip: string;
}

/** When a part was removed; crdshift never writes a time in the future. */
export const keptTime = time.refine((at) => Date.parse(at) <= Date.now() + AHEAD_MAX_MS);

/** Who removed it, on one line; null if unknown or too long for a name. */
export const keptUser = z
  .string()
  .nullable()
  .transform((user) => (user === null || user.length > USER_MAX ? null : plainText(user).replaceAll(/\p{Cc}/gu, "\uFFFD")));

/**
 * A reader for annotations that keep removed parts of a definition for undo: one part, or a list with the newest first. Anyone who can
 * write annotations may have written them, so `aboutOf` describes an entry from the part itself. Entries that aren't such a part,
 * can't be unpacked, make `aboutOf` return null, or exceed `mostBytes` or 50,000 values together with those before them are skipped.
 */
export function keptAnnotation<Entry extends { gzip: string }, About>(
  schema: ZodType<Entry>,
  aboutOf: (entry: Entry, part: unknown) => About | null,
  mostBytes: number,
): (annotation: string | undefined) => Kept<About>[] {
  const remembered = new Map<string, Kept<About>[]>();

  function keptIn(annotation: string): Kept<About>[] {
    let left = mostBytes;
    let valuesLeft = MOST_VALUES;
    return entriesOf(annotation).flatMap((json) => {
      const { data: entry } = schema.safeParse(json);
      // zlib takes no limit of 0.
      if (!entry || left <= 0) return [];
      const text = unkeptText(entry.gzip, left);
      // zlib unpacks all of a part before it finds its checksum wrong.
      left -= text === null ? MOST_EXPANSION * Buffer.byteLength(entry.gzip, "base64") : Buffer.byteLength(text);
      if (text === null) return [];
      valuesLeft -= countValues(text);
      const part = valuesLeft >= 0 ? parsed(text) : undefined;
      if (part === undefined || !nestsWithin(part)) return [];
      const about = aboutOf(entry, part);
      return about === null ? [] : [{ about, gzip: entry.gzip }];
    });
  }

  return (annotation) => {
    if (annotation === undefined || annotation.length > KEPT_MAX_BYTES) return [];
    const kept = remembered.get(annotation) ?? keptIn(annotation);
    remembered.delete(annotation);
    remembered.set(annotation, kept);
    const [oldest] = remembered.keys();
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    return kept;
  };
}

/** The annotation that keeps these parts; null if they don't fit, into the `room` that other annotations leave either (in bytes). */
export function keptText(kept: readonly Kept<object>[], room = KEPT_MAX_BYTES): string | null {
  const text = JSON.stringify(kept.map(({ about, gzip }) => ({ ...about, gzip })));
  return Buffer.byteLength(text) <= Math.min(KEPT_MAX_BYTES, room) ? text : null;
}

function entriesOf(annotation: string): unknown[] {
  const json = parsed(annotation);
  return Array.isArray(json) ? json.slice(0, MOST_ENTRIES) : [json];
}

/** Undefined if the text isn't JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A compressed part of a definition; null if it couldn't be read again: longer than `mostBytes` as JSON, too many values, or nested too deep. */
export function keptGzip(part: ExactJson, mostBytes: number): string | null {
  const json = exactText(part);
  const isReadable = Buffer.byteLength(json) <= mostBytes && countValues(json) <= MOST_VALUES && nestsWithin(part);
  return isReadable ? gzipSync(json, { level: 9 }).toString("base64") : null;
}

/** The kept part, with exact numbers. Throws if it can't be unpacked, or is longer than `mostBytes`. */
export function unkept(gzip: string, mostBytes: number): ExactJson {
  return parseExactJson(unzipped(gzip, mostBytes));
}

/** The kept text; null if it can't be unpacked, or is longer than `mostBytes`. */
function unkeptText(gzip: string, mostBytes: number): string | null {
  try {
    return unzipped(gzip, mostBytes);
  } catch {
    return null;
  }
}

function unzipped(gzip: string, mostBytes: number): string {
  return gunzipSync(Buffer.from(gzip, "base64"), { maxOutputLength: mostBytes }).toString("utf8");
}
