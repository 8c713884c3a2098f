import { expect, test } from "vitest";
import type { CrdCondition } from "./crd.ts";
import { unservedBecause } from "./unserved-because.ts";

const condition = (type: string, status: CrdCondition["status"]): CrdCondition => ({ type, status, reason: "", message: "" });

test.each<[string, CrdCondition[], string | null]>([
  ["established", [condition("Established", "True"), condition("NamesAccepted", "True")], null],
  ["served under its earlier names", [condition("Established", "True"), condition("NamesAccepted", "False")], null],
  ["without its names", [condition("Established", "False"), condition("NamesAccepted", "False")], "names not accepted"],
  ["about to be served", [condition("Established", "False"), condition("NamesAccepted", "True")], "not established"],
  ["of which nothing is known yet", [], "not established"],
])("a definition that is %s", (_, conditions, because) => {
  expect(unservedBecause({ conditions })).toBe(because);
});
