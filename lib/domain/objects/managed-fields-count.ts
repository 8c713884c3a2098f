/** A complete count of the objects whose managedFields name each version. */
export interface ManagedFieldsCount {
  /** RFC 3339: when it began. What has changed since may be counted or not. */
  asOf: string;
  versions: ReadonlyMap<string, number>;
  /** More objects may name each version. */
  atLeast?: true;
  /** In how many objects each run, by its id, had changed managedFields by then; those that are not here, in none. */
  changedBefore?: ReadonlyMap<string, number>;
  /** The number of the last cleaning of the definition's objects that had ended by then; without it, none had. */
  lastCleaning?: number;
}

/** The count once the entries for `versions` were cleaned from every object. */
export function cleanedCount(count: ManagedFieldsCount, versions: readonly string[]): ManagedFieldsCount {
  return { ...count, versions: new Map([...count.versions].filter(([version]) => !versions.includes(version))) };
}
