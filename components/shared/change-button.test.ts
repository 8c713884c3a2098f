import { expect, test } from "vitest";
import type { Right } from "#lib/domain/rewrite/needed-rights.ts";
import { rightsQuestion } from "./change-button.tsx";

const right: Right = { verb: "patch", group: "example.com", resource: "widgets" };
const asked = (mode: "local" | "token", user: string | null) => rightsQuestion([right], "kind a", { mode, user });

test("a local session shares its contexts with the user", () => {
  const commands = ["kubectl --context 'kind a' auth can-i patch widgets.example.com --all-namespaces"];
  expect(asked("local", null)).toEqual({ heading: "Check your permissions:", commands });
  expect(rightsQuestion([right], "kind a", null)).toEqual({ heading: "Check your permissions:", commands });
});

test("for a service account's token, the commands check that account, without a --context", () => {
  const { heading, commands } = asked("token", "system:serviceaccount:ops:migrator");
  expect(commands).toEqual(["kubectl auth can-i patch widgets.example.com --all-namespaces --as=system:serviceaccount:ops:migrator"]);
  expect(heading).toContain("impersonate");
});

test.each(["ada@example.com", null])("another user's groups can't be named, so the commands need that user's kubeconfig", (user) => {
  const { heading, commands } = asked("token", user);
  expect(commands).toEqual(["kubectl auth can-i patch widgets.example.com --all-namespaces"]);
  expect(heading).toContain("a kubeconfig for the account you signed in with");
});
