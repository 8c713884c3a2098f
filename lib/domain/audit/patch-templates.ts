import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose, SentPatches } from "#lib/domain/rewrite/sent-patches.ts";
/** The form of a patch. Parts that vary by object are in braces or angle brackets. */
export interface PatchTemplate {
  purpose: PatchPurpose;
  method: "PATCH";
  path: string;
  contentType: "application/merge-patch+json" | "application/json-patch+json";
  body: string;
  /** The JSON patch in its place where a webhook converts; null where the run sent none, or where it is no such patch. */
  testedBody: string | null;
}

const MERGE = { method: "PATCH", contentType: "application/merge-patch+json" } as const;

export interface SentPatch extends PatchTemplate {
  /** Whether the run sent such patches as `testedBody`; null when unknown. */
  tested: boolean | null;
  count: number | null;
  atLeast: boolean;
}

/** With these, the write fails if the API server starts from another state of the object than was read (lib/domain/objects/field-tests.ts). */
const TESTS = '{"op":"test","path":"/spec","value":<as read>},<the same for each other field>';

const QUERY = "?fieldManager=crdshift";

/** The patches of a run, as sent by lib/cluster/objects/custom-objects.ts, with their counts; null when unknown. */
export function patchesOf(
  crd: Pick<Crd, "group" | "plural" | "scope">,
  { storageVersion, sent }: Pick<Run, "storageVersion" | "sent">,
): SentPatch[] {
  const at = (version: string) =>
    `/apis/${crd.group}/${version}/${crd.scope === "Namespaced" ? "namespaces/{namespace}/" : ""}${crd.plural}/{name}`;
  const path = at(storageVersion);
  const noOp = '{"metadata":{"resourceVersion":"<as listed>"}}';
  const areTested = wereTested(sent);
  const tested = (...operations: string[]) => (areTested === false ? null : `[${operations.join(",")}]`);
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
  return templates.map((template) => ({
    ...template,
    tested: template.testedBody === null ? false : areTested,
    count: sent?.[template.purpose] ?? null,
    atLeast: sent?.atLeast ?? false,
  }));
}

// By what the run recorded, because the webhook may have been dropped since. Its writes are alike, so those that it didn't record tell nothing
// new, unless it recorded none.
function wereTested(sent: SentPatches | null): boolean | null {
  if (!sent) return null;
  const hasWritten = sent.rewrite + sent.verify + sent.status > 0;
  return sent.tested === false && sent.atLeast && !hasWritten ? null : sent.tested;
}
