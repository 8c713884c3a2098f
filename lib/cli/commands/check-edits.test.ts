import { expect, test } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import type { EditCheck } from "#lib/contract/definition/edit-check.ts";
import { describeEditCheck, describeEditChecks } from "./check-edits.ts";

const of = (crd: string, result: EditCheck["result"]): EditCheck => ({
  ...{ crd, result, generation: 1, serverVersion: "v1.37.2" },
  asOf: "2026-01-02T12:00:00.000Z",
});
const field = "spec.versions[0].schema.openAPIV3Schema";
const refused = of("crontabs.example.com", {
  ...{ verdict: "refused", isBudget: true, message: "It is invalid." },
  causes: [
    { version: "v1", field, message: "Forbidden: estimated rule cost exceeds budget" },
    { version: null, field: "status.storedVersions[1]", message: "Invalid value" },
  ],
});
const denied = of("books.example.com", { verdict: "refused", isBudget: false, message: "a policy denied request", causes: [] });
const notTried = of("dots.example.com", { verdict: "not-tried", because: "v1 has no schema." });
const accepted = of("apples.example.com", { verdict: "accepted" });

test("lists refused definitions first, each with its first cause, and counts the verdicts", () => {
  const error = new AppError("forbidden", "You can't patch it.", { clusterMessage: "no\nrule" });
  const text = describeEditChecks([accepted, refused, notTried, denied], [{ crd: "eggs.example.com", error }]);
  expect(text.split("\n")).toEqual([
    "NAME                   NEXT EDIT   WHY",
    "books.example.com      refused     a policy denied request",
    "crontabs.example.com   refused     v1: Forbidden: estimated rule cost exceeds budget",
    "eggs.example.com       failed      You can't patch it. no rule.",
    "dots.example.com       not tried   v1 has no schema.",
    "apples.example.com     accepted",
    "",
    "5 definitions: 2 refused, 1 failed, 1 not tried, 1 accepted",
  ]);
});

test("says so when there is nothing to check", () => {
  expect(describeEditChecks([], [])).toBe("No definitions found.");
});

test("one definition shows every cause and its field", () => {
  expect(describeEditCheck(refused).split("\n")).toEqual([
    "The API server would refuse an edit of the schema: its CEL rules exceed the cost budget.",
    "v1: Forbidden: estimated rule cost exceeds budget",
    "  spec.versions[0].schema.openAPIV3Schema",
    "status.storedVersions[1]: Invalid value",
    "  status.storedVersions[1]",
  ]);
  expect(describeEditCheck(denied)).toBe("The API server would refuse an edit of the schema.\na policy denied request");
  expect(describeEditCheck(notTried)).toBe("Not tried.\nv1 has no schema.");
  expect(describeEditCheck(accepted)).toBe("The API server would accept an edit of the schema.");
});
