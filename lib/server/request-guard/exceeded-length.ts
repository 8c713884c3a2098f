/** Of an object's or a definition's name; versions and ids are shorter. */
const LONGEST_NAME = 253;
/** Of any other part. Nothing limits the name of a kubeconfig's context, but none has so many characters. */
const LONGEST_PART = 1_024;

/** How many characters a part of this path may have, if it has more; otherwise null. The path is as sent, and can be decoded. */
export function exceededLength(path: string): number | null {
  const parts = path.split("/").map(decodeURIComponent);
  // Not a cluster of that name.
  const crds = parts.indexOf("crds", parts.indexOf("clusters") + 2);
  const most = (index: number) => (crds !== -1 && index > crds ? LONGEST_NAME : LONGEST_PART);
  const tooLong = parts.findIndex((part, index) => part.length > most(index));
  return tooLong === -1 ? null : most(tooLong);
}
