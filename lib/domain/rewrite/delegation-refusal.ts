import type { Refusal } from "./refusals.ts";

/** What decides whether the cluster's own engine may rewrite a definition's objects. */
interface Delegating {
  /** The version that discovery prefers. */
  preferred: string | null;
  storage: string | null;
  conversion: "None" | "Webhook";
  /** Whether losses were accepted unseen. */
  unseen: boolean;
}

/**
 * Why the cluster's own engine must not rewrite a definition's objects; null if it may. It sends its patches at the version that discovery
 * prefers, so the API server reads each object, also a current one, as that version, and stores no field that it lacks. And it tests nothing
 * of what an API server's cache may hold otherwise than a read shows it (docs/decisions/0062-tested-writes.md). Source: resourceFor in
 * pkg/controller/storageversionmigrator/resourceversion.go at v1.36.3 and v1.37.2.
 */
export function delegationRefusal({ preferred, storage, conversion, unseen }: Delegating): Refusal | null {
  if (conversion === "Webhook" && !unseen) {
    return {
      message:
        "An API server may hold objects as the conversion webhook converted them earlier, and the cluster's own engine would write from that, " +
        "which no dry run shows.",
      nextStep: "Rewrite with crdshift's own engine, which tests what each write starts from, or accept losses unseen.",
    };
  }
  if (preferred === null || storage === null || preferred === storage) return null;
  return {
    message:
      `The cluster's own engine would write each object as ${preferred}, which discovery prefers, and drop fields that only the storage ` +
      `version ${storage} has.`,
    nextStep: `Rewrite with crdshift's own engine, which writes as ${storage}.`,
  };
}
