import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";

const PREFIX = "/_next/static/";
/** Of everything that Next's build puts there. */
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=UTF-8",
  ".js": "application/javascript; charset=UTF-8",
  ".woff2": "font/woff2",
};

const PIECE_BYTES = 16 * 1024;

interface BuiltFile {
  type: string;
  plain: Buffer;
  /** Null if it gets no shorter. */
  zipped: Buffer | null;
}

/** Answers a request for a file, also for one that isn't there; false if it is for something else. */
export type AnswerFile = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Answers requests for files of Next's build from memory, where all answers share one copy. Next would read and compress the file for each,
 * and one that nobody reads would keep what that takes. Nothing below their path reaches Next: these requests take no turns.
 */
export function builtFiles(directory: string): AnswerFile {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => path.extname(name) in TYPES);
  // Two megabytes. Another build has other names, and no file may be free to open later.
  const contents = new Map(names.map((name) => [name, readFileSync(path.join(directory, name))]));
  const files = new Map<string, BuiltFile>();
  const open = (name: string): BuiltFile | null => {
    const plain = contents.get(name);
    if (!plain) return null;
    const file = files.get(name) ?? builtFile(name, plain);
    files.set(name, file);
    return file;
  };
  return ({ method, url = "/", headers }, response) => {
    const [sent = ""] = url.split(/[?#]/);
    if (!sent.startsWith(PREFIX)) return false;
    const name = decodeURIComponent(sent.slice(PREFIX.length));
    const file = open(name);
    if (!file || !(method === "GET" || method === "HEAD")) {
      response.writeHead(404, { "content-type": "text/plain; charset=UTF-8", "cache-control": "no-store" }).end("Not found");
      return true;
    }
    const { type, plain, zipped } = file;
    const isZipped = zipped !== null && acceptsGzip(String(headers["accept-encoding"] ?? ""));
    response.writeHead(200, {
      ...{ "content-type": type, "content-length": (isZipped ? zipped : plain).length, vary: "Accept-Encoding" },
      ...(isZipped && { "content-encoding": "gzip" }),
      // The name of each changes with its content.
      "cache-control": "public, max-age=31536000, immutable",
    });
    if (method === "HEAD") response.end();
    else Readable.from(pieces(isZipped ? zipped : plain)).pipe(response);
    return true;
  };
}

function builtFile(name: string, plain: Buffer): BuiltFile {
  const zipped = gzipSync(plain);
  return { type: TYPES[path.extname(name)] ?? "", plain, zipped: zipped.length < plain.length ? zipped : null };
}

/** Without copying it. What is sent piece by piece shows whether somebody reads it. */
function* pieces(content: Buffer): Generator<Buffer> {
  for (let start = 0; start < content.length; start += PIECE_BYTES) yield content.subarray(start, start + PIECE_BYTES);
}

function acceptsGzip(accepted: string): boolean {
  return accepted.split(",").some((one) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(one));
}
