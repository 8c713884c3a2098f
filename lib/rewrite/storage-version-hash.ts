import { createHash } from "node:crypto";

/**
 * The hash that discovery advertises for a storage version: base64 of the first 8 bytes of sha256("group/version/Kind").
 * Source: apiserver/pkg/endpoints/discovery/storageversionhash.go.
 */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
