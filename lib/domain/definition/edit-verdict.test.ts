import { expect, test } from "vitest";
import { exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { editCauseWords, editRefusal, editSteps } from "./edit-verdict.ts";

const root = (schema: object) => ({ schema: { openAPIV3Schema: { type: "object", ...schema } } });
const definition = (spec: object, metadata: object = {}) => exactJson({ metadata, spec });

test("an edit changes each version's description and nothing else, also where there is none yet", () => {
  const versions = [
    { name: "v1", ...root({ description: "A widget." }) },
    { name: "v1beta1", ...root({}) },
  ];
  expect(editSteps(definition({ versions }))).toEqual([
    { op: "add", path: "/spec/versions/0/schema/openAPIV3Schema/description", value: "A widget. Edited." },
    { op: "add", path: "/spec/versions/1/schema/openAPIV3Schema/description", value: "Edited." },
  ]);
});

test("an edit of an edited description differs again", () => {
  const versions = [{ name: "v1", ...root({ description: "Edited." }) }];
  expect(editSteps(definition({ versions }))).toMatchObject([{ value: "Edited. Edited." }]);
});

const versions = [{ name: "v1", ...root({}) }, { name: "v1beta1" }];
test.each([
  ["v1beta1 has no schema.", definition({ versions })],
  [
    "The definition has preserveUnknownFields: true, so it predates structural schemas.",
    definition({ versions, preserveUnknownFields: true }),
  ],
  ["The definition is being deleted.", definition({ versions: [versions[0]] }, { deletionTimestamp: "2026-01-02T12:00:00Z" })],
])("nothing is tried: %s", (notTried, untriable) => {
  expect(editSteps(untriable)).toEqual({ notTried });
});

const TRY = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
// The API server's own words: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go at v0.37.2.
test.each([
  [true, `Forbidden: estimated rule cost exceeds budget by factor of 1.086957x ${TRY}`],
  [true, `Forbidden: estimated messageExpression cost exceeds budget by factor of more than 100x ${TRY}`],
  [true, "Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"],
  [
    true,
    `Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 2.1x ${TRY}`,
  ],
  [false, "Forbidden: nullable cannot be true at the root"],
  [false, 'Invalid value: "self.cost > self.budget": must not contain line breaks'],
])("%s: about the budget for rules is %s", (isBudget, message) => {
  const other = { field: "spec.group", message: "Invalid value: field is immutable" };
  const fields = [other, { field: "spec.versions[0].schema.openAPIV3Schema", message }];
  expect(editRefusal({ message: "It is invalid.", fields }, ["v1"])).toMatchObject({ verdict: "refused", isBudget });
});

const message = "Forbidden: no";
test.each([
  ["spec.versions[1].schema.openAPIV3Schema.properties[spec]", ["v1", "v1beta1"], "v1beta1", "v1beta1: Forbidden: no"],
  ["spec.versions[12].schema", ["v1", "v1beta1"], null, "spec.versions[12].schema: Forbidden: no"],
  ["spec.validation.openAPIV3Schema", ["v1", "v1beta1"], null, "every version: Forbidden: no"],
  ["spec.validation.openAPIV3Schema", ["v1"], "v1", "v1: Forbidden: no"],
  ["status.storedVersions[0]", ["v1"], null, "status.storedVersions[0]: Forbidden: no"],
])("a cause in %s of %j is about %s", (field, names, version, words) => {
  const { causes } = editRefusal({ message: "It is invalid.", fields: [{ field, message }] }, names);
  expect(causes).toEqual([{ version, field, message }]);
  expect(causes.map(editCauseWords)).toEqual([words]);
});
