import type { Refusal } from "./refusals.ts";

/**
 * Why the cluster's own engine must not rewrite a definition's objects; null if it may. It sends its patches at the version that discovery
 * prefers, so the API server reads each object, also a current one, as that version, and stores no field that it lacks. Source:
 * resourceFor in pkg/controller/storageversionmigrator/resourceversion.go at v1.36.3 and v1.37.2.
 */
export function delegationRefusal({ preferred, storage }: { preferred: string | null; storage: string | null }): Refusal | null {
  if (preferred === null || storage === null || preferred === storage) return null;
  return {
    message:
      `The cluster's own engine would write each object as ${preferred}, which discovery prefers, and drop fields that only the storage ` +
      `version ${storage} has.`,
    nextStep: `Rewrite with crdshift's own engine, which writes as ${storage}.`,
  };
}
