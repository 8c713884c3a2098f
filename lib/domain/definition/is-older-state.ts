import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import type { Crd } from "./crd.ts";

/** What tells an older state of a definition from a newer one. */
export type StateOfDefinition = Pick<Crd, "uid" | "resourceVersion" | "generation">;

/**
 * Whether what the cluster just told of a definition's name is an older state than one that was known before it was asked: etcd was restored.
 * After `etcdutl snapshot restore --bump-revision` and a write, only the generation may show it.
 */
export function isOlderState(now: StateOfDefinition, known: StateOfDefinition | null): boolean {
  if (known === null) return false;
  return (
    compareResourceVersions(now.resourceVersion, known.resourceVersion) < 0 || (now.uid === known.uid && now.generation < known.generation)
  );
}

/** The state of a definition that was deleted at this resourceVersion: none of that uid comes after it. */
export function deletedState({ uid }: Pick<Crd, "uid">, resourceVersion: string): StateOfDefinition {
  return { uid, resourceVersion, generation: Number.POSITIVE_INFINITY };
}

/** Whether it is such a state. */
export function isDeleted({ generation }: StateOfDefinition): boolean {
  return generation === Number.POSITIVE_INFINITY;
}
