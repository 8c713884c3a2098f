import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import type { Kept } from "#lib/rewrite/run/object/keep-ownership.ts";
import type { ObjectAnswer } from "#lib/rewrite/run/object/request-for-object.ts";
import type { AdmissionWatch } from "./admission-watch.ts";

/**
 * Sends a no-op write of an object that nothing checks. An empty patch at the resourceVersion that was listed raises no generation, unless
 * something in admission has changed the object.
 */
export async function uncheckedWrite(
  admission: AdmissionWatch,
  object: ObjectMetadata,
  write: () => Promise<ObjectAnswer<Kept>>,
): Promise<ObjectAnswer<Kept>> {
  const answer = await admission.unchecked(write);
  if (answer.kind !== "answered" || typeof answer.value === "string") return answer;
  const { generation } = answer.value;
  if (generation !== null && object.generation !== null && generation > object.generation) admission.distrust();
  return answer;
}
