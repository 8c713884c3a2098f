import type { DefinitionBasis, StoredBasis } from "./basis-of-bounds.ts";

/** What a definition's bounds rest on beside its objects. */
export interface CountedDefinition {
  uid: string;
  generation: number;
  storedVersions: readonly string[];
  basisOfBounds: DefinitionBasis;
}

/** Whether bounds with this basis say nothing about the definition as it is now, because it has changed since `counted`. */
export function isOvertaken(basis: StoredBasis, counted: CountedDefinition, now: CountedDefinition): boolean {
  if (counted.uid !== now.uid) return true;
  const isOtherSpec = counted.generation !== now.generation;
  switch (basis) {
    case "none":
      return false;
    case "etcd":
      return isOtherSpec;
    case "proof":
      return isOtherSpec || counted.basisOfBounds !== now.basisOfBounds;
    case "settle-point":
    case "declared":
      return isOtherSpec || counted.basisOfBounds !== now.basisOfBounds || !isSameList(counted.storedVersions, now.storedVersions);
    default:
      return basis satisfies never;
  }
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((version, index) => version === other[index]);
}
