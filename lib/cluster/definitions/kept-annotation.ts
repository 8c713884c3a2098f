import { gunzipSync, gzipSync } from "node:zlib";
import { type ZodType, z } from "zod";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { time } from "#lib/contract/time.ts";
import { type ExactJson, exactText, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { nestsWithin } from "#lib/domain/exact-json/nests-within.ts";

/** The most that one annotation keeps: all annotations together may hold 256 KiB, and others want theirs. */
const KEPT_MAX_BYTES = 64 * 1024;
/** Clocks differ by less. */
const AHEAD_MAX_MS = 24 * 60 * 60 * 1000;
const USER_MAX = 256;
/** Every reading of a definition asks for what it keeps, and to unpack a large schema takes milliseconds. */
const REMEMBERED = 48;

/** A part of a definition, compressed, and what says of it what it is. */
export interface Kept<About> {
  about: About;
  gzip: string;
}

/** When a part was taken away: what lies ahead is none of crdshift's times. */
export const keptTime = time.refine((at) => Date.parse(at) <= Date.now() + AHEAD_MAX_MS);

/** Who took it away, on one line; null where that was not known, or is too long for a name. */
export const keptUser = z
  .string()
  .nullable()
  .transform((user) => (user === null || user.length > USER_MAX ? null : plainText(user).replaceAll(/\p{Cc}/gu, "\uFFFD")));

/**
 * A reader of the annotations that keep parts of a definition for their undo, one part or a list, newest first. Anybody who may write
 * annotations may have written them: `aboutOf` says what an entry is by the part itself, and whatever is no such part, can't be
 * unpacked, makes it answer null, or is more than `mostBytes` with those before it, counts as none.
 */
export function keptAnnotation<Entry extends { gzip: string }, About>(
  schema: ZodType<Entry>,
  aboutOf: (entry: Entry, part: unknown) => About | null,
  mostBytes: number,
): (annotation: string | undefined) => Kept<About>[] {
  const remembered = new Map<string, Kept<About>[]>();

  function keptIn(annotation: string): Kept<About>[] {
    let left = mostBytes;
    return entriesOf(annotation).flatMap((json) => {
      const { data: entry } = schema.safeParse(json);
      // zlib takes no limit of 0.
      const text = entry && left > 0 ? unkeptText(entry.gzip, left) : null;
      if (!entry || text === null) return [];
      left -= Buffer.byteLength(text);
      const part = parsed(text);
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

/** The annotation that keeps these; null when they don't fit. */
export function keptText(kept: readonly Kept<object>[]): string | null {
  const text = JSON.stringify(kept.map(({ about, gzip }) => ({ ...about, gzip })));
  return Buffer.byteLength(text) <= KEPT_MAX_BYTES ? text : null;
}

function entriesOf(annotation: string): unknown[] {
  const json = parsed(annotation);
  return Array.isArray(json) ? json : [json];
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A part of a definition compressed; null for one that `unkept` would not give back: longer than `mostBytes` as JSON, or nested too deep. */
export function keptGzip(part: ExactJson, mostBytes: number): string | null {
  const json = exactText(part);
  return Buffer.byteLength(json) <= mostBytes && nestsWithin(part) ? gzipSync(json, { level: 9 }).toString("base64") : null;
}

/** What was kept, no number rounded. Throws for what is no such thing, or longer than `mostBytes`. */
export function unkept(gzip: string, mostBytes: number): ExactJson {
  return parseExactJson(unzipped(gzip, mostBytes));
}

/** The text that was kept; null for what is none, or longer than `mostBytes`. */
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
