import type { ConversionProbe } from "#lib/contract/definition/conversion.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

/** What a probe shows, and what it can't show. */
export function probeMeaning({ versions }: ConversionProbe, strategy: CrdDetail["conversion"]): string {
  const read = versions.filter(({ readMs }) => readMs !== null).length;
  if (versions.some(({ failure }) => failure !== null)) {
    return "The table shows the API server's errors. An object read at its stored version needs no conversion, so that version may answer while others fail.";
  }
  if (read === 0) return "There are no objects, so nothing was converted. This only shows that the versions are served.";
  if (strategy === "None") return "No webhook is involved: the API server changes the apiVersion itself.";
  if (read === 1) return "Only one version is served, so the webhook was called only if the object is stored in another version.";
  return "The object is stored in one version, so for every other version the webhook just converted it. That holds for Get; List may come from the API server's cache, which holds converted objects.";
}
