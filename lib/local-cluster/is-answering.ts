import { readFile } from "node:fs/promises";
import https from "node:https";

const timeoutMs = 2_000;

/** Whether a GET of the https URL answers 200, with a certificate that `caFile` (which may not exist yet) verifies. */
export async function isAnswering(url: string, caFile: string): Promise<boolean> {
  const ca = await readFile(caFile).catch(() => undefined);
  if (!ca) return false;
  return new Promise((resolve) => {
    const request = https.get(url, { ca, agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}
