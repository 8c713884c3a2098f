/** The versions by name, or how many when that would be a long list. */
export function nameVersions(versions: readonly string[]): string {
  return versions.length <= 3 ? versions.join(", ") : `${versions.length} versions`;
}
