import { get } from "node:http";
import { scriptHeaders } from "#lib/server/testing/ask-dashboard.ts";

export interface Answer {
  /** From sending the request to the last byte. */
  ms: number;
  /** Of the body as it came over the wire. */
  bytes: number;
  /** The Content-Encoding; "identity" for none. */
  encoding: string;
}

const TIMEOUT_MS = 120_000;

/** What Chromium sends for a page on loopback. */
export const BROWSER_ENCODINGS = "gzip, deflate, br, zstd";

/** One GET over a kept connection, its body counted and not decoded. Throws for an answer other than 200. */
export function ask(url: string, acceptEncoding: string): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { ...scriptHeaders, "accept-encoding": acceptEncoding };
    const sent = get(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode !== 200) return reject(new Error(`${url}: ${response.statusCode}`));
        resolve({ ms: performance.now() - startedAt, bytes, encoding: response.headers["content-encoding"] ?? "identity" });
      });
    });
    sent.on("error", reject);
  });
}
