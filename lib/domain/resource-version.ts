/**
 * Compares two resourceVersions of one resource: negative when `a` is older. They compare as integers written without a
 * leading zero, so the longer one is newer. Source: kubernetes.io "Kubernetes API Concepts", Resource versions.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
