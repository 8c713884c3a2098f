import { z } from "zod";
import { VERSION_MAX_LENGTH } from "#lib/domain/definition/stored-versions.ts";

/** Names of versions in a body: each once, from one to `most`, since each is looked up among a definition's versions. */
export function versionNames(most: number) {
  return z
    .array(z.string().max(VERSION_MAX_LENGTH))
    .min(1)
    .max(most)
    .transform((versions) => [...new Set(versions)]);
}
