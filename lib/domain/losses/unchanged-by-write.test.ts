import { expect, test } from "vitest";
import { exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { unchangedByWrite } from "./unchanged-by-write.ts";

const string = { type: "string" };
const versions = [sampleVersion("v1beta1"), sampleVersion("v1", { storage: true })];
const crd = sampleCrd({ versions, storedVersions: ["v1beta1", "v1"] });
const schema = (fields: object) => ({ type: "object", properties: { spec: { type: "object", properties: fields } } });
const older = schema({ a: string });
const newer = schema({ a: string, b: string });

const of = (schemas: Record<string, object>, { keepsUnlisted = false, definition = crd } = {}) =>
  unchangedByWrite(definition, {
    keepsUnlisted,
    schemaOf: (version) => (schemas[version] ? exactJson(schemas[version]) : undefined),
  });
const tells = (object: object) => of({ v1: newer, v1beta1: older })?.(exactJson(object));

const entry = (version: string, fields: object, others: object = {}) => ({
  ...{ manager: "helm", operation: "Update", apiVersion: `${crd.group}/${version}`, time: "2026-01-01T00:00:00Z", fieldsType: "FieldsV1" },
  fieldsV1: { "f:spec": fields },
  ...others,
});
const widget = (spec: object, managedFields: object[], metadata: object = {}) => ({
  ...{ apiVersion: `${crd.group}/v1`, kind: "Widget", spec },
  metadata: { name: "one", managedFields, ...metadata },
});
const ownA = { "f:a": {} };

test("an object whose fields all versions show, owned at served versions, stays as it is", () => {
  expect(tells(widget({ a: "x" }, [entry("v1beta1", ownA)]))).toBe(true);
  expect(tells(widget({ a: "x" }, []))).toBe(true);
  expect(tells(widget({ a: "x" }, [entry("v1", ownA), entry("v1beta1", ownA), entry("v1", ownA, { operation: "Apply" })]))).toBe(true);
  // Nothing compares it with v1beta1's schema, which lacks the field.
  expect(tells(widget({ b: "x" }, [entry("v1", { "f:b": {} })]))).toBe(true);
});

test.each([
  ["a version that is gone owns a field", [entry("v1alpha1", ownA)]],
  ["an entry owns nothing", [{ ...entry("v1", {}), fieldsV1: {} }]],
  ["an entry owns nothing but itself", [{ ...entry("v1", {}), fieldsV1: { ".": {} } }]],
  ["an entry can't be read", [{ ...entry("v1", {}), fieldsV1: { 'k:{"a"': {} } }]],
  ["a key of an entry names no fields", [{ ...entry("v1", {}), fieldsV1: { "k:5": {} } }]],
  ["an entry is of an unknown kind", [entry("v1", ownA, { operation: "Replace" })]],
  ["a manager has two entries", [entry("v1", ownA), entry("v1", ownA)]],
  ["a manager applies at two versions", ["v1", "v1beta1"].map((version) => entry(version, ownA, { operation: "Apply" }))],
  ["more managers update than the API server keeps", Array.from({ length: 11 }, (_, index) => entry("v1", ownA, { manager: `m${index}` }))],
  ["an entry names a field that no read shows", [entry("v1", { "f:gone": {} })]],
])("nobody can tell if %s", (_why, managedFields) => {
  expect(tells(widget({ a: "x" }, managedFields))).toBe(false);
});

test("nobody can tell if the object doesn't fit the schema of a version that owns some of it, or is being deleted", () => {
  expect(tells(widget({ a: 1 }, []))).toBe(false);
  expect(tells(widget({ b: "x" }, [entry("v1beta1", ownA)]))).toBe(false);
  expect(tells(widget({ a: "x" }, [], { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBe(false);
});

test("nobody can tell if a finalizer or an owner is named twice, which the API server accepts and can't compare", () => {
  const withMetadata = (metadata: object) => tells(widget({ a: "x" }, [entry("v1", ownA)], metadata));
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "1" };
  expect(withMetadata({ finalizers: ["e.io/x", "e.io/y"], ownerReferences: [owner, { ...owner, uid: "2" }] })).toBe(true);
  expect(withMetadata({ finalizers: ["e.io/x", "e.io/x"] })).toBe(false);
  expect(withMetadata({ ownerReferences: [owner, { ...owner, controller: true }] })).toBe(false);
});

test("nobody can tell if an entry owns a part of what has become atomic: the next write gives its owner all of it", () => {
  const atomic = schema({ a: { type: "object", properties: { b: string }, "x-kubernetes-map-type": "atomic" } });
  const told = of({ v1: atomic, v1beta1: atomic });
  const owning = (fields: object) => told?.(exactJson(widget({ a: { b: "x" } }, [entry("v1", { "f:a": fields })])));
  expect([owning({}), owning({ "f:b": {} })]).toEqual([true, false]);
});

test("nobody can tell of any object where a read doesn't show what a write would do", () => {
  const equal = { v1: newer, v1beta1: newer };
  expect(of(equal)).not.toBeNull();
  expect(of(equal, { keepsUnlisted: true })).toBeNull();
  expect(of({ v1: older, v1beta1: newer })).toBeNull();
  expect(of({ v1: newer })).toBeNull();
  const defaulted = schema({ a: { ...string, default: "x" } });
  expect(of({ v1: defaulted, v1beta1: defaulted })).toBeNull();
  expect(of({ v1: newer, v1beta1: schema({ a: { ...string, default: false } }) })).toBeNull();
  const embedded = schema({ a: { type: "object", "x-kubernetes-embedded-resource": true } });
  expect(of({ v1: embedded, v1beta1: embedded })).toBeNull();
  const webhook = sampleCrd({ ...crd, conversion: { strategy: "Webhook", target: "hooks/convert" } });
  expect(of(equal, { definition: webhook })).toBeNull();
  const unserved = sampleCrd({ ...crd, versions: [sampleVersion("v1beta1", { served: false }), sampleVersion("v1", { storage: true })] });
  expect(of(equal, { definition: unserved })).toBeNull();
});
