/** Ties a settle point or proof to its CRD. */
export interface CrdIdentity {
  uid: string;
  generation: number;
  storageVersion: string;
}

/** The part of a Crd that an identity is made of. */
interface Identifiable {
  uid: string;
  generation: number;
  versions: readonly { name: string; storage: boolean }[];
}

/** The CRD's current identity; null without a storage version. */
export function crdIdentity(crd: Identifiable): CrdIdentity | null {
  const storage = crd.versions.find((version) => version.storage);
  return storage ? { uid: crd.uid, generation: crd.generation, storageVersion: storage.name } : null;
}

/** How the CRD differs from the identity, for people; null when it doesn't. */
export function identityChange(crd: Identifiable, identity: CrdIdentity): string | null {
  if (crd.uid !== identity.uid) return "the definition was deleted and created again (its uid changed)";
  const storage = crd.versions.find((version) => version.storage)?.name;
  if (storage !== identity.storageVersion) return `the storage version changed from ${identity.storageVersion} to ${storage ?? "none"}`;
  if (crd.generation !== identity.generation) return `its spec changed (generation ${identity.generation} became ${crd.generation})`;
  return null;
}
