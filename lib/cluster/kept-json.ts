import { gunzipSync, gzipSync } from "node:zlib";
import { type ExactJson, exactText, parseExactJson } from "#lib/domain/exact-json.ts";
import { nestsWithin } from "#lib/domain/nests-within.ts";

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
export function unkeptText(gzip: string, mostBytes: number): string | null {
  try {
    return unzipped(gzip, mostBytes);
  } catch {
    return null;
  }
}

function unzipped(gzip: string, mostBytes: number): string {
  return gunzipSync(Buffer.from(gzip, "base64"), { maxOutputLength: mostBytes }).toString("utf8");
}
