import type { Connection } from "#lib/cluster/connection.ts";
import { readCrd, writeStoredVersions } from "#lib/cluster/crds.ts";
import { fleetOf } from "#lib/cluster/fleet.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { restoredStoredVersions } from "#lib/domain/refusals.ts";

const MAX_ATTEMPTS = 5;

/**
 * Puts those of the versions back into status.storedVersions that it lacks and spec.versions still has, under the definition's
 * resourceVersion; again when somebody was faster, at most five times. `isDue` decides on the definition as it was just read.
 * @returns the versions put back; none when nothing was missing, when it is not due, or when the definition is another one by now.
 */
export async function putBackStoredVersions(
  connection: Connection,
  { name, uid }: Pick<Crd, "name" | "uid">,
  versions: readonly string[],
  { isDue, signal }: { isDue: (now: Crd) => boolean; signal: AbortSignal },
): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { crd } = await readCrd(connection, name, signal);
    const listable = versions.filter((version) => crd.versions.some((known) => known.name === version));
    const missing = listable.filter((version) => !crd.storedVersions.includes(version));
    if (missing.length === 0 || crd.uid !== uid || !isDue(crd)) return [];
    try {
      fleetOf(connection).noteCrd(await writeStoredVersions(connection, crd, restoredStoredVersions(crd, missing), signal));
      return missing;
    } catch (error) {
      if (!(isAppError(error) && error.code === "conflict") || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}
