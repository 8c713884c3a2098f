import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";

/** An object as it was listed, if it was: one that was put into etcd may have an empty uid. */
export type Listed = ObjectName & { uid?: string };

/** Whether an object, as it is now, isn't the one that was listed: that one was deleted, and another was created with its name. */
export function isNamesake(now: ExactJson, { uid }: Listed): boolean {
  return uid !== undefined && (exactProperty(exactProperty(now, "metadata"), "uid") ?? "") !== uid;
}
