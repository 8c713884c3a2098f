import { expect, test } from "vitest";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { givenBack, withOwnOf } from "./own-entries.ts";

const entry = (manager: string, fieldsV1: ExactJson, operation = "Apply", apiVersion = "example.com/v1"): ExactJson => ({
  ...{ manager, operation, apiVersion, fieldsType: "FieldsV1" },
  fieldsV1,
});
const own = (fields: ExactJson) => entry("crdshift", fields, "Update");

test("what crdshift's entry has taken goes back to all who owned it, also where nothing else is left to them", () => {
  const listed = [entry("a", { "f:spec": { "f:ports": {}, "f:size": {} } }), entry("b", { "f:spec": { "f:ports": {} } }, "Update")];
  const after = [entry("a", { "f:spec": { "f:size": {} } }), own({ "f:spec": { "f:ports": {}, "f:added": {} } })];
  expect(givenBack(listed, after)).toEqual([
    entry("a", { "f:spec": { "f:size": {}, "f:ports": {} } }),
    entry("b", { "f:spec": { "f:ports": {} } }, "Update"),
  ]);
});

test("nobody gets what they didn't own, or what is gone", () => {
  const listed = [entry("a", { "f:spec": { ".": {}, "f:map": { ".": {}, "f:old": {} } } })];
  const after = [entry("a", { "f:spec": { ".": {} } }), own({ "f:spec": { "f:map": { "f:new": {} } } })];
  expect(givenBack(listed, after)).toEqual([entry("a", { "f:spec": { ".": {} } })]);
});

test("a field goes back without those inside it that nobody had taken, and with those that were", () => {
  const listed = [entry("a", { "f:spec": { "f:map": { ".": {}, "f:x": {}, "f:y": {} } } })];
  expect(givenBack(listed, [own({ "f:spec": { "f:map": {} } })])).toEqual([entry("a", { "f:spec": { "f:map": {} } })]);
  const both = own({ "f:spec": { "f:map": { ".": {}, "f:x": {} } } });
  expect(givenBack(listed, [both])).toEqual([entry("a", { "f:spec": { "f:map": { ".": {}, "f:x": {} } } })]);
});

test("without an entry of crdshift's, the entries stay", () => {
  const after = [entry("a", { "f:spec": {} })];
  expect(givenBack([entry("a", { "f:spec": { "f:size": {} } })], after)).toEqual(after);
});

// The API server would keep only one of the two, the last.
test("whoever has applied at another version since gets nothing back, and keeps what they applied", () => {
  const listed = [entry("a", { "f:spec": { "f:ports": {}, "f:size": {} } }, "Apply", "example.com/v1beta1")];
  const since = entry("a", { "f:spec": { "f:size": {} } });
  expect(givenBack(listed, [since, own({ "f:spec": { "f:ports": {} } })])).toEqual([since]);
});

test("whoever owned a part of what has become atomic gets the whole back, if they say so at the same version", () => {
  const part = (apiVersion: string) => entry("a", { "f:spec": { "f:limits": { "f:cpu": {} } } }, "Apply", apiVersion);
  const after = [own({ "f:spec": { "f:limits": {} } })];
  expect(givenBack([part("example.com/v1")], after)).toEqual([entry("a", { "f:spec": { "f:limits": {} } })]);
  expect(givenBack([part("example.com/v1beta1")], after)).toEqual([]);
});

test("whoever owns as a whole at another version what crdshift's entry has parts of keeps it", () => {
  const listed = [entry("a", { "f:spec": { "f:ports": {}, "f:size": {} } }, "Apply", "example.com/v1beta1")];
  const left = entry("a", { "f:spec": { "f:size": {} } }, "Apply", "example.com/v1beta1");
  const after = [left, own({ "f:spec": { "f:ports": { 'k:{"port":80}': { "f:protocol": {} } } } })];
  expect(givenBack(listed, after)).toEqual([entry("a", { "f:spec": { "f:size": {}, "f:ports": {} } }, "Apply", "example.com/v1beta1")]);
});

test("what an entry of crdshift's had taken that someone else has removed goes back to its owners", () => {
  const listed = [entry("a", { "f:spec": { "f:ports": {}, "f:size": {} } })];
  const left = entry("a", { "f:spec": { "f:size": {} } });
  const before = [left, own({ "f:spec": { "f:ports": {} } })];
  expect(givenBack(listed, withOwnOf(before, [left]))).toEqual([entry("a", { "f:spec": { "f:size": {}, "f:ports": {} } })]);
});
