import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { exactProperty } from "#lib/domain/exact-json/exact-json.ts";

/** For objects that come and go meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * Whether two versions of a definition have the same objects, by the first that is listed at either. Null if objects come and go too fast to
 * tell.
 * @throws the errors of requests.
 */
export async function haveSameObjects(
  connection: Connection,
  crd: Crd,
  [version, other]: readonly [string, string],
  signal: AbortSignal,
): Promise<boolean | null> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    for (const [listed, found] of [
      [other, version],
      [version, other],
    ] as const) {
      const first = await isFirstFound(connection, crd, [listed, found], signal);
      if (first === "found" || first === "missing") return first === "found";
      if (first === "moved") break;
      // Neither has any object.
      if (listed === version) return true;
    }
  }
  return null;
}

/** Whether the first object that is listed at one version, if any, is found at the other; or whether it is gone meanwhile. */
async function isFirstFound(
  connection: Connection,
  crd: Crd,
  [listed, found]: readonly [string, string],
  signal: AbortSignal,
): Promise<"found" | "missing" | "moved" | "none"> {
  const { objects } = await listObjects(connection, crd, { version: listed, limit: 1, signal });
  const [first] = objects;
  if (first === undefined) return "none";
  const isAt = async (version: string) => {
    try {
      const now = await readObjectMetadata(connection, crd, version, first, { signal });
      return exactProperty(exactProperty(now, "metadata"), "uid") === first.uid;
    } catch (error) {
      if (clusterAnswer(error)?.status === 404) return false;
      throw error;
    }
  };
  if (await isAt(found)) return "found";
  return (await isAt(listed)) ? "missing" : "moved";
}
