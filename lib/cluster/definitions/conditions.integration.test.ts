import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { NameRole } from "#lib/domain/definition/name-collisions.ts";
import { ApiError } from "#lib/local-cluster/api-client.ts";
import { putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readCrd } from "./crds.ts";
import { readDetail } from "./read-detail.ts";
import { readFinalizers } from "./read-finalizers.ts";

const { api, cluster, connection } = await openTestBench();
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ANY = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

interface Names {
  plural: string;
  kind: string;
  singular?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

/** A definition until the end of the test; gives its name. */
async function create(group: string, names: Names, changes: { annotations?: object; versions?: object[] } = {}): Promise<string> {
  const name = `${names.plural}.${group}`;
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: ANY } }];
  await api.create(DEFINITIONS, {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name, annotations: changes.annotations ?? {} },
    spec: { group, scope: "Namespaced", names, versions: changes.versions ?? versions },
  });
  onTestFinished(() => remove(name));
  return name;
}

async function remove(name: string): Promise<void> {
  await api.delete(`${DEFINITIONS}/${name}`).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
}

/** In etcd the API server keeps definitions in v1beta1's form, with the schema that all versions share at its top. */
interface StoredDefinition {
  metadata: { generation: number };
  spec: { preserveUnknownFields?: boolean; validation: { openAPIV3Schema: { properties: { spec: { type?: string } } } } };
}

const newGroup = (domain = "example.com") => `g${randomBytes(5).toString("hex")}.${domain}`;

/** Null while the fleet has not heard of it, and once it is gone. */
async function detailOf(name: string): Promise<CrdDetail | null> {
  return readDetail(connection, name, soon()).catch((error: unknown) => {
    if (isAppError(error) && error.code === "not_found") return null;
    throw error;
  });
}

/** A condition with what is said of it, as `Status Reason tone`, and the names that are taken. */
async function told(name: string, type: string) {
  const detail = await detailOf(name);
  const condition = detail?.conditions.find((one) => one.type === type);
  const advice = detail?.conditionAdvice.find((one) => one.type === type);
  if (!condition || !advice) return null;
  return { state: `${condition.status} ${condition.reason} ${advice.tone}`, collisions: advice.collisions };
}

test("names that collide are told with the definition that has them, in each of the five ways, until they are free", async () => {
  const group = newGroup();
  const holder = await create(group, {
    plural: "holders",
    kind: "Holder",
    singular: "holder",
    listKind: "HolderList",
    shortNames: ["ho", "lots"],
  });
  await expect.poll(() => told(holder, "NamesAccepted")).toEqual({ state: "True NoConflicts good", collisions: [] });
  const rivals: [Names, reason: string, role: NameRole, name: string, heldAs: NameRole][] = [
    [{ plural: "lots", kind: "Lot" }, "PluralConflict", "plural", "lots", "shortNames"],
    [{ plural: "as", kind: "A", singular: "holder" }, "SingularConflict", "singular", "holder", "singular"],
    [{ plural: "bs", kind: "B", shortNames: ["bb", "ho"] }, "ShortNamesConflict", "shortNames", "ho", "shortNames"],
    [{ plural: "cs", kind: "Holder", singular: "c", listKind: "CList" }, "KindConflict", "kind", "Holder", "kind"],
    [{ plural: "ds", kind: "D", listKind: "HolderList" }, "ListKindConflict", "listKind", "HolderList", "listKind"],
  ];
  for (const [names, reason, role, taken, heldAs] of rivals) {
    const name = await create(group, names);
    const collisions = [{ role, name: taken, heldBy: { crd: holder, role: heldAs } }];
    await expect.poll(() => told(name, "NamesAccepted")).toEqual({ state: `False ${reason} blocked`, collisions });
    expect(await told(name, "Established")).toMatchObject({ state: "False NotAccepted blocked" });
  }
  const { crd: unserved } = await readCrd(connection, `ds.${group}`, soon());
  const [counts] = await Array.fromAsync(countObjects(connection, unserved, soon()));
  expect(counts).toMatchObject({ total: null, basis: "unknown", message: "Not served: names not accepted; its conditions say why" });
  await remove(holder);
  for (const [names] of rivals) {
    await expect.poll(() => told(`${names.plural}.${group}`, "NamesAccepted")).toEqual({ state: "True NoConflicts good", collisions: [] });
  }
});

test("a group of the Kubernetes community counts as unapproved until its annotation names the approval", async () => {
  const group = newGroup("k8s.io");
  const names = { plural: "trials", kind: "Trial" };
  await expect(create(group, names)).rejects.toThrow(/protected groups must have approval annotation/);
  const name = await create(group, names, { annotations: { "api-approved.kubernetes.io": "unapproved, a trial" } });
  const state = async () => (await told(name, "KubernetesAPIApprovalPolicyConformant"))?.state;
  await expect.poll(state).toBe("False UnapprovedAnnotation warn");
  const approval = { "api-approved.kubernetes.io": "https://github.com/kubernetes/enhancements/pull/1111" };
  await api.mergePatch(`${DEFINITIONS}/${name}`, { metadata: { annotations: approval } });
  await expect.poll(state).toBe("True ApprovedAnnotation good");
});

test("a deleted definition lists the finalizers that block its objects, until they are gone; its names and subresources too", async () => {
  const group = newGroup();
  const paths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const version = (name: string, storage: boolean, subresources: object) => ({
    ...{ name, storage, subresources, served: true, schema: { openAPIV3Schema: ANY } },
  });
  const name = await create(
    group,
    { plural: "boxes", kind: "Box", singular: "box", shortNames: ["bx"], categories: ["all"] },
    {
      versions: [
        version("v1beta1", false, { scale: { ...paths, labelSelectorPath: ".status.selector" } }),
        version("v1", true, { status: {} }),
      ],
    },
  );
  await expect.poll(async () => (await told(name, "Established"))?.state).toBe("True InitialNamesAccepted good");
  expect(await detailOf(name)).toMatchObject({
    names: { singular: "box", listKind: "BoxList", shortNames: ["bx"], categories: ["all"] },
    acceptedNames: null,
    subresources: [
      { version: "v1", status: true, scale: null },
      { version: "v1beta1", status: false, scale: { ...paths, labelSelectorPath: ".status.selector" } },
    ],
  });

  const objects = `/apis/${group}/v1/namespaces/default/boxes`;
  const box = (boxName: string, finalizers: string[]) =>
    api.create(objects, { apiVersion: `${group}/v1`, kind: "Box", metadata: { name: boxName, finalizers } });
  await box("a", ["example.com/hold", "example.com/other"]);
  await Promise.all([box("b", ["example.com/hold"]), box("c", [])]);
  const held = async (bounds?: Parameters<typeof readFinalizers>[3]) =>
    readFinalizers(connection, (await readCrd(connection, name, soon())).crd, soon(), bounds);
  expect(await held()).toMatchObject({ total: 3, read: 3, notDeleted: 3, free: 1 });

  await remove(name);
  const example = (boxName: string) => ({ namespace: "default", name: boxName });
  await expect
    .poll(() => held())
    .toMatchObject({
      ...{ total: 2, read: 2, notDeleted: 0, free: 0, moreFinalizers: 0 },
      finalizers: [
        { finalizer: "example.com/hold", objects: 2, examples: [example("a"), example("b")] },
        { finalizer: "example.com/other", objects: 1, examples: [example("a")] },
      ],
    });
  expect(await held({ objects: 1, finalizers: 1, examples: 0 })).toMatchObject({
    ...{ total: 2, read: 1, moreFinalizers: 1 },
    finalizers: [{ finalizer: "example.com/hold", objects: 1, examples: [] }],
  });
  await expect.poll(async () => (await told(name, "Terminating"))?.state).toBe("True InstanceDeletionInProgress warn");
  expect(await detailOf(name)).toMatchObject({
    finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
    deletionTimestamp: expect.any(String),
  });

  for (const boxName of ["a", "b"]) await api.mergePatch(`${objects}/${boxName}`, { metadata: { finalizers: null } });
  await expect.poll(() => detailOf(name)).toBeNull();
});

// None can be created any more: this is what an upgraded cluster still has.
test("a schema that is not structural is reported until it is fixed", async () => {
  const group = newGroup();
  const spec = { type: "object", properties: { size: { type: "integer" } } };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const versions = [{ name: "v1", served: true, storage: true, schema }];
  const name = await create(group, { plural: "relics", kind: "Relic" }, { versions });
  await expect.poll(async () => (await told(name, "Established"))?.state).toBe("True InitialNamesAccepted good");
  const key = `/registry/apiextensions.k8s.io/customresourcedefinitions/${name}`;
  const [entry] = await readEtcd(cluster.etcd, key);
  const stored = JSON.parse(Buffer.from(entry?.value ?? []).toString("utf8")) as StoredDefinition;
  stored.spec.preserveUnknownFields = true;
  delete stored.spec.validation.openAPIV3Schema.properties.spec.type;
  stored.metadata.generation += 1;
  await putIntoEtcd(cluster.etcd, key, JSON.stringify(stored));
  await expect.poll(async () => (await told(name, "NonStructuralSchema"))?.state).toBe("True Violations warn");

  await api.mergePatch(`${DEFINITIONS}/${name}`, { spec: { preserveUnknownFields: false, versions } });
  await expect.poll(() => told(name, "NonStructuralSchema")).toBeNull();
  expect(await detailOf(name)).not.toBeNull();
});
