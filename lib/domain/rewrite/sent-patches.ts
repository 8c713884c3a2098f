import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Run } from "./run.ts";

/** What a patch of an object was sent for. */
export const patchPurposes = ["rewrite", "verify", "status", "ownership", "dryRun"] as const;
export type PatchPurpose = (typeof patchPurposes)[number];

/** Patches of objects that a run has sent, by purpose; tries that failed are among them. */
export interface SentPatches extends Record<PatchPurpose, number> {
  /** More may have been sent: a process that held the run ended before it could write down the last ones. */
  atLeast: boolean;
}

export const NOTHING_SENT: SentPatches = { rewrite: 0, verify: 0, status: 0, ownership: 0, dryRun: 0, atLeast: false };

/** What a kind of patch looks like; what differs from object to object stands in braces or angle brackets. */
export interface PatchTemplate {
  purpose: PatchPurpose;
  method: "PATCH";
  path: string;
  contentType: "application/merge-patch+json" | "application/json-patch+json";
  body: string;
}

const MERGE = { method: "PATCH", contentType: "application/merge-patch+json" } as const;
const QUERY = "?fieldManager=crdshift";

/** The patches of a run, as lib/cluster/objects/custom-objects.ts sends them, with how many there were; null where that is not known. */
export function patchesOf(
  crd: Pick<Crd, "group" | "plural" | "scope">,
  { storageVersion, sent }: Pick<Run, "storageVersion" | "sent">,
): (PatchTemplate & { count: number | null; atLeast: boolean })[] {
  const at = (version: string) =>
    `/apis/${crd.group}/${version}/${crd.scope === "Namespaced" ? "namespaces/{namespace}/" : ""}${crd.plural}/{name}`;
  const path = at(storageVersion);
  const verifying = '{"metadata":{"resourceVersion":"<as listed>"}}';
  const carried =
    '[{"op":"test","path":"/metadata/resourceVersion","value":"<as read>"},' +
    '{"op":"replace","path":"/metadata/managedFields","value":[<the same entries, at the storage version>]}]';
  const templates: PatchTemplate[] = [
    { purpose: "rewrite", ...MERGE, path: `${path}${QUERY}`, body: "{}" },
    { purpose: "verify", ...MERGE, path: `${path}${QUERY}`, body: verifying },
    { purpose: "status", ...MERGE, path: `${path}/status${QUERY}`, body: "{}" },
    { purpose: "ownership", method: "PATCH", contentType: "application/json-patch+json", path: `${path}${QUERY}`, body: carried },
    { purpose: "dryRun", ...MERGE, path: `${at("{version}")}${QUERY}&dryRun=All`, body: "{}" },
  ];
  return templates.map((template) => ({ ...template, count: sent?.[template.purpose] ?? null, atLeast: sent?.atLeast ?? false }));
}
