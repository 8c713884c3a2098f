import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { unwritableRecord } from "#lib/domain/rewrite/refusals.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { withKubectl } from "./with-kubectl.ts";

const PROD = "kubectl --context 'a $& b'";

// Pasted without the context, the first removes the record of another cluster's definition, the second overwrites its storedVersions.
test.each([
  ["an unreadable record", unwritableRecord(sampleCrd({ record: "unreadable" })), "annotate customresourcedefinition"],
  ["a version that is not in the spec", unwritableRecord(sampleCrd({ storedVersions: ["v1", "v9"] })), "patch customresourcedefinition"],
])("the command that mends %s names the cluster", (_, refusal, verb) => {
  expect(withKubectl(refusal?.nextStep ?? "", PROD)).toContain(`${PROD} ${verb} `);
});

// Without a resource in RESOURCES, the command that names it lacks the cluster.
test("every command that the sources write out is known", () => {
  const sources = globSync("lib/**/*.ts").filter((path) => !/\.test\.|\/testing\/|local-cluster/.test(path));
  const commands = sources.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/kubectl (annotate|delete|get|patch) [a-z]{2}[^\s"'`$,.]*/g)].map(([command]) => command),
  );
  expect(commands.length).toBeGreaterThan(8);
  for (const command of commands) expect(withKubectl(command, "chosen")).toMatch(/^chosen /);
});

test("what isn't a command stays as it is", () => {
  for (const text of [
    "Discovery prefers v1; kubectl uses it.",
    "`kubectl --context east version` must work.",
    "Run kubectl port-forward.",
    "kubectl get pods",
  ])
    expect(withKubectl(text, PROD)).toBe(text);
});
