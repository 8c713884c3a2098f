import { onTestFinished } from "vitest";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const POLICIES = `${ADMISSION}/mutatingadmissionpolicies`;
const BINDINGS = `${ADMISSION}/mutatingadmissionpolicybindings`;

/** Whether the API server serves mutating policies at v1, which it does from Kubernetes 1.36 on. */
export function servesMutatingPolicies(api: ApiClient): Promise<boolean> {
  return api.get(POLICIES).then(
    () => true,
    () => false,
  );
}

interface Narrowed {
  /** What narrows the policy, beside its rule. */
  spec?: object;
  matching?: object;
  binding?: object;
  /** A CEL condition, in which the note is removed. */
  when?: string;
  /** What is removed in place of the note: a CEL field of the object, and its JSON pointer. */
  takes?: { field: string; pointer: string };
}

/**
 * A mutating policy that removes the note from each object's `spec` in an update, until the end of the test. It is in force a bit later.
 */
export async function removeNotesByPolicy(api: ApiClient, definition: SampleDefinition, narrowed: Narrowed = {}): Promise<void> {
  const { spec, matching, binding, when = "true", takes = { field: "spec.note", pointer: "/spec/note" } } = narrowed;
  const metadata = { name: `notes-${definition.group}` };
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural] };
  const expression = `${when} && has(object.${takes.field}) ? [JSONPatch{op: "remove", path: "${takes.pointer}"}] : []`;
  const mutations = [{ patchType: "JSONPatch", jsonPatch: { expression } }];
  const matchConstraints = { resourceRules: [rule], ...matching };
  await api.create(POLICIES, { metadata, spec: { reinvocationPolicy: "Never", matchConstraints, mutations, ...spec } });
  onTestFinished(async () => void (await api.delete(`${POLICIES}/${metadata.name}`)));
  await api.create(BINDINGS, { metadata, spec: { policyName: metadata.name, ...binding } });
  onTestFinished(async () => void (await api.delete(`${BINDINGS}/${metadata.name}`)));
}

/** Whether an update of a definition's object by this client would keep its note. */
export async function keepsNote(api: ApiClient, definition: SampleDefinition, index = 0): Promise<boolean> {
  const path = `${definition.path("v1", { name: objectName(index) })}?dryRun=All`;
  const { spec } = (await api.mergePatch(path, {})) as { spec?: object };
  return spec !== undefined && "note" in spec;
}
