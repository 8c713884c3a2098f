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
  /** The JSON patch in its place where a webhook converts; null where none does, or where it isn't sent. */
  testedBody: string | null;
}

const MERGE = { method: "PATCH", contentType: "application/merge-patch+json" } as const;

/** With these, the write fails if the API server starts from another state of the object than was read (lib/domain/objects/field-tests.ts). */
const TESTS = '{"op":"test","path":"/spec","value":<as read>},<the same for each other field>';

const QUERY = "?fieldManager=crdshift";

/** The patches of a run, as sent by lib/cluster/objects/custom-objects.ts, with their counts; null when unknown. */
export function patchesOf(
  crd: Pick<Crd, "group" | "plural" | "scope" | "conversion">,
  { storageVersion, sent, acceptedLosses }: Pick<Run, "storageVersion" | "sent" | "acceptedLosses">,
): (PatchTemplate & { count: number | null; atLeast: boolean })[] {
  const at = (version: string) =>
    `/apis/${crd.group}/${version}/${crd.scope === "Namespaced" ? "namespaces/{namespace}/" : ""}${crd.plural}/{name}`;
  const path = at(storageVersion);
  const noOp = '{"metadata":{"resourceVersion":"<as listed>"}}';
  const isTested = crd.conversion.strategy === "Webhook" && !acceptedLosses?.unseen;
  const tested = (...operations: string[]) => (isTested ? `[${operations.join(",")}]` : null);
  const testedNoOp = tested(TESTS, '{"op":"replace","path":"/metadata/resourceVersion","value":"<as listed>"}');
  const unmoved = '{"op":"test","path":"/metadata/resourceVersion","value":"<as read>"}';
  const carried =
    '{"op":"replace","path":"/metadata/managedFields","value":[<the same entries, at the storage version, with or without crdshift\'s>]}';
  const templates: PatchTemplate[] = [
    { purpose: "rewrite", ...MERGE, path: `${path}${QUERY}`, body: noOp, testedBody: testedNoOp },
    { purpose: "verify", ...MERGE, path: `${path}${QUERY}`, body: noOp, testedBody: testedNoOp },
    { purpose: "status", ...MERGE, path: `${path}/status${QUERY}`, body: noOp, testedBody: testedNoOp },
    {
      purpose: "ownership",
      ...{ method: "PATCH", contentType: "application/json-patch+json", path: `${path}${QUERY}` },
      ...{ body: `[${unmoved},${carried}]`, testedBody: tested(unmoved, TESTS, carried) },
    },
    { purpose: "dryRun", ...MERGE, path: `${at("{version}")}${QUERY}&dryRun=All`, body: "{}", testedBody: null },
  ];
  return templates.map((template) => ({ ...template, count: sent?.[template.purpose] ?? null, atLeast: sent?.atLeast ?? false }));
}
