import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
/** The form of a patch. Parts that vary by object are in braces or angle brackets. */
export interface PatchTemplate {
  purpose: PatchPurpose;
  method: "PATCH";
  path: string;
  contentType: "application/merge-patch+json" | "application/json-patch+json";
  body: string;
}

const MERGE = { method: "PATCH", contentType: "application/merge-patch+json" } as const;

const QUERY = "?fieldManager=crdshift";

/** The patches of a run, as sent by lib/cluster/objects/custom-objects.ts, with their counts; null when unknown. */
export function patchesOf(
  crd: Pick<Crd, "group" | "plural" | "scope">,
  { storageVersion, sent }: Pick<Run, "storageVersion" | "sent">,
): (PatchTemplate & { count: number | null; atLeast: boolean })[] {
  const at = (version: string) =>
    `/apis/${crd.group}/${version}/${crd.scope === "Namespaced" ? "namespaces/{namespace}/" : ""}${crd.plural}/{name}`;
  const path = at(storageVersion);
  const noOp = '{"metadata":{"resourceVersion":"<as listed>"}}';
  const carried =
    '[{"op":"test","path":"/metadata/resourceVersion","value":"<as read>"},' +
    '{"op":"replace","path":"/metadata/managedFields","value":[<the same entries, at the storage version, with or without crdshift\'s>]}]';
  const templates: PatchTemplate[] = [
    { purpose: "rewrite", ...MERGE, path: `${path}${QUERY}`, body: noOp },
    { purpose: "verify", ...MERGE, path: `${path}${QUERY}`, body: noOp },
    { purpose: "status", ...MERGE, path: `${path}/status${QUERY}`, body: noOp },
    { purpose: "ownership", method: "PATCH", contentType: "application/json-patch+json", path: `${path}${QUERY}`, body: carried },
    { purpose: "dryRun", ...MERGE, path: `${at("{version}")}${QUERY}&dryRun=All`, body: "{}" },
  ];
  return templates.map((template) => ({ ...template, count: sent?.[template.purpose] ?? null, atLeast: sent?.atLeast ?? false }));
}
