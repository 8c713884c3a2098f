import { expect, test } from "vitest";
import type { Right } from "#lib/domain/rewrite/needed-rights.ts";
import { rightsQuestion } from "./missing-rights.tsx";

const right: Right = { verb: "patch", group: "example.com", resource: "widgets" };
const asked = (mode: "local" | "token", user: string | null) => rightsQuestion([right], "kind a", { mode, user });

test("a local crdshift and the reader have the same contexts", () => {
  const commands = ["kubectl --context 'kind a' auth can-i patch widgets.example.com --all-namespaces"];
  expect(asked("local", null)).toEqual({ heading: "Ask the cluster:", commands });
  expect(rightsQuestion([right], "kind a", null)).toEqual({ heading: "Ask the cluster:", commands });
});

test("for whoever signed in with a service account's token the question is about that account, in no context of the server's", () => {
  const { heading, commands } = asked("token", "system:serviceaccount:ops:migrator");
  expect(commands).toEqual(["kubectl auth can-i patch widgets.example.com --all-namespaces --as=system:serviceaccount:ops:migrator"]);
  expect(heading).toContain("impersonate");
});

test.each(["ada@example.com", null])("another user's groups can't be named, so the question takes that user's own kubeconfig", (user) => {
  const { heading, commands } = asked("token", user);
  expect(commands).toEqual(["kubectl auth can-i patch widgets.example.com --all-namespaces"]);
  expect(heading).toContain("a kubeconfig of the account that you signed in with");
});
