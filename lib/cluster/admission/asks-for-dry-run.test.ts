import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { readPolicies } from "./admission.ts";

/** Whether a mutating policy with this in its spec is read as one that asks for dry runs. */
async function asks(more: object): Promise<boolean | undefined> {
  const crd = sampleCrd();
  const rule = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] };
  const items = [{ metadata: { name: "one" }, spec: { matchConstraints: { resourceRules: [rule] }, ...more } }];
  const connection = await connectionTo("policies", (request, response) => {
    response.end(JSON.stringify({ items: request.url?.includes("bindings") ? [] : items }));
  });
  const signal = AbortSignal.timeout(30_000);
  const [policy] = await readPolicies({ connection, crd, version: "v1", role: "mutating", signal });
  return policy?.asksForDryRun;
}

const mutating = (expression: string) => ({ mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }] });

// Without FIELD and WORDS (asks-for-dry-run.ts) losses are unknown for good, and every rewrite is held back, for a field of that name.
test.each<[string, object]>([
  ["a field of the object", mutating("object.spec.dryRun ? [] : []")],
  ["one of its items", mutating("has(object.spec.items[0].dryRun) && 'a' in object.spec.dryRunOf")],
  ["an optional one", mutating("object.?spec.?dryRun.orValue(true) ? [] : []")],
  ["one of the object as it was", { matchConditions: [{ name: "it", expression: "oldObject.spec.dryRun == true" }] }],
  ["one of the policy's parameters", { variables: [{ name: "it", expression: "!params.dryRun" }] }],
  ["what people read", { matchConditions: [{ name: "it", expression: "true", message: "no dryRun", messageExpression: "'dryRun'" }] }],
])("a policy that names %s doesn't ask for dry runs", async (_, spec) => expect(await asks(spec)).toBe(false));

test.each([
  "request.dryRun ? [] : []",
  "request . dryRun ? [] : []",
  'request["dryRun"] ? [] : []',
  "request.?dryRun.orValue(false) ? [] : []",
  "object.spec.dryRun && request.dryRun ? [] : []",
  "object.spec.items.map(x, request.dryRun)",
  "variables.object.dryRun ? [] : []",
  "variables. object.dryRun ? [] : []",
  "variables. ?object.dryRun ? [] : []",
  "variables.spec.dryRun ? [] : []",
  "myobject.dryRun ? [] : []",
  "[request].exists(object, object.dryRun) ? [] : []",
  "request // object\n.dryRun ? [] : []",
  "variables.// it\nobject.dryRun ? [] : []",
])("one with %j asks", async (expression) => expect(await asks(mutating(expression))).toBe(true));

test("one with a condition or variable that asks, asks", async () => {
  expect(await asks({ matchConditions: [{ name: "real", expression: "request.dryRun != true" }] })).toBe(true);
  expect(await asks({ variables: [{ name: "dryRun", expression: "request.options" }] })).toBe(true);
});
