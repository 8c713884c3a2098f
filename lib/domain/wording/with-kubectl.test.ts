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

test("what isn't a command stays as it is", () => {
  for (const text of ["Discovery prefers v1; kubectl uses it.", "`kubectl --context east version` must work.", "Run kubectl port-forward."])
    expect(withKubectl(text, PROD)).toBe(text);
});
