import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { beforeFlip } from "./stale-definition.ts";
import type { TestBench } from "./test-bench.ts";

// Node's own, not yet in TypeScript's library: a number that JavaScript itself could not write.
const rawJson = (JSON as JSON & { rawJSON(text: string): object }).rawJSON;

const string = { type: "string" };
const integer = { type: "integer" };
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** v1 lacks some of the fields in every third object. */
export const narrower: SampleVersion[] = [
  {
    name: "v1",
    storage: true,
    properties: {
      size: integer,
      nested: { type: "object", properties: { kept: string } },
      containers: { type: "array", items: { type: "object", properties: { image: string } } },
      labels: { type: "object", properties: { plain: string } },
      free: anything,
    },
  },
  { name: "v1beta1" },
];

export const wide = (index: number) => ({
  size: index,
  nested: { kept: "yes", ...(index % 3 === 0 && { deep: { er: [1, { lost: true }] } }) },
  containers: [
    { image: "a", ...(index % 3 === 0 && { tag: "1" }) },
    { image: "b", ...(index % 6 === 0 && { tag: "2", "pull.policy": "Always" }) },
  ],
  labels: { plain: "x", ...(index % 3 === 0 && { "example.com/team": "a" }), ...(index % 5 === 0 && { "a.b": "dotted" }) },
  free: { big: rawJson("9007199254740993"), one: rawJson("1.0"), huge: rawJson("1e300"), unknown: [{ deep: null }] },
});

/** Objects at v1beta1 of a definition that now stores v1, which lacks some of their fields. */
export function narrowed(bench: Pick<TestBench, "stale">, count = 30): Promise<SampleDefinition> {
  return bench.stale(count, { spec: wide, versions: { before: beforeFlip, after: narrower } });
}
