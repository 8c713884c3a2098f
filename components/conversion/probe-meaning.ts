import type { ConversionProbe } from "#lib/contract/definition/conversion.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

/** What a probe shows, and what it can't. */
export function probeMeaning({ versions }: ConversionProbe, strategy: CrdDetail["conversion"]): string {
  const read = versions.filter(({ readMs }) => readMs !== null).length;
  if (versions.some(({ failure }) => failure !== null)) {
    return "What failed is told in the API server's words. An object that is stored at the version that it is asked for needs no conversion, so that one may answer while others fail.";
  }
  if (read === 0) return "There is no object, so nothing was converted: this shows that the versions are served, and no more.";
  if (strategy === "None") return "No webhook takes part: the API server writes the other apiVersion itself.";
  if (read === 1) return "Only one version is served: the webhook was asked only if the object is stored in another one.";
  return "The object is stored in one version, so at every other one the webhook has converted it, just now. That is so for the reads by name; a list may come from the API server's cache, where objects are converted already.";
}
