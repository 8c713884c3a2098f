import { expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { definitionsDeniedSchema } from "#lib/contract/rights.ts";
import { definitionsDenied, whoAmI } from "./read-rights.ts";

const words = (verb: string) =>
  `customresourcedefinitions.apiextensions.k8s.io is forbidden: User "system:serviceaccount:a:b" cannot ${verb} resource "customresourcedefinitions" in API group "apiextensions.k8s.io" at the cluster scope`;
const forbidden = (clusterMessage: string) => new AppError("forbidden", "The cluster denied GET /apis/x.", { clusterMessage });

test.each(["list", "watch"] as const)("without permission to %s definitions, the error names the user and the verb", (verb) => {
  const denied = definitionsDenied(forbidden(words(verb)));
  expect(denied).toMatchObject({
    code: "forbidden",
    message: `You don't have permission to ${verb} CustomResourceDefinitions.`,
    clusterMessage: words(verb),
  });
  expect(definitionsDeniedSchema.parse(denied?.details)).toEqual({ definitionsDenied: { verb, user: "system:serviceaccount:a:b" } });
});

test("a denial in other words counts as one to list, for an unknown user", () => {
  expect(definitionsDenied(forbidden("Forbidden"))?.details).toEqual({ definitionsDenied: { verb: "list", user: null } });
});

// Whole, it makes a record that is longer than crdshift reads.
test("a label has no more than the beginning of a long name", async () => {
  const connection = { userName: () => "x".repeat(5_000) } as Partial<Connection> as Connection;
  expect(await whoAmI(connection, AbortSignal.timeout(1_000))).toBe(`${"x".repeat(256)}…`);
});

test("what is no refusal stays what it is", () => {
  expect(definitionsDenied(new AppError("cluster_unreachable", "It can't be reached."))).toBe(null);
  expect(definitionsDenied(new Error(words("list")))).toBe(null);
});
