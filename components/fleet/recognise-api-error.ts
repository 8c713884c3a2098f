/** What a pasted error of the API server is about. */
export interface RecognisedError {
  /** The definition that it names, null when it was pasted without. */
  crd: string | null;
  /** The versions that must stay because status.storedVersions lists them. */
  versions: string[];
}

/**
 * Recognises what the API server says when a definition drops a version that is still stored: the older text ends in
 * "must appear in spec.versions", the newer in "missing from spec.versions; …".
 */
export function recogniseApiError(text: string): RecognisedError | null {
  const versions = [...text.matchAll(/status\.storedVersions\[\d+\]: Invalid value: \\?"?([^\s"\\:]+)\\?"?:/g)].map(
    ([, version]) => version ?? "",
  );
  const crd = /CustomResourceDefinition(?:\.apiextensions\.k8s\.io)? \\?"([^"\\]+)\\?" is invalid/.exec(text)?.[1] ?? null;
  if (versions.length === 0 && crd === null) return null;
  return { crd, versions: [...new Set(versions)] };
}
