/** A complete count of the objects whose managedFields name each version. */
export interface ManagedFieldsCount {
  /** RFC 3339: when it ended. */
  asOf: string;
  versions: ReadonlyMap<string, number>;
}

/** The count once the entries for `versions` were cleaned from every object. */
export function cleanedCount(count: ManagedFieldsCount, versions: readonly string[]): ManagedFieldsCount {
  return { ...count, versions: new Map([...count.versions].filter(([version]) => !versions.includes(version))) };
}
