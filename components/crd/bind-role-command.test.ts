import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { bindRoleCommand, MIGRATOR, VIEWER } from "./bind-role-command.ts";

test.each([
  ["in-cluster", "system:serviceaccount:team-a:ada", "kubectl create clusterrolebinding r-ada --clusterrole=r --serviceaccount=team-a:ada"],
  ["dev", "ada@example.com", "kubectl --context dev create clusterrolebinding r-ada-example.com --clusterrole=r --user=ada@example.com"],
  ["a b", "ada's $x", `kubectl --context 'a b' create clusterrolebinding r-ada-s-x --clusterrole=r --user='ada'\\''s $x'`],
  ["dev", null, "kubectl --context dev create clusterrolebinding r-USER --clusterrole=r --user=USER"],
])("in %s %s is given a role", (context, user, command) => {
  expect(bindRoleCommand(context, "r", user)).toBe(command);
});

test.each([
  ["viewer", VIEWER],
  ["migrator", MIGRATOR],
])("the manifests have the %s's role by that name", async (file, role) => {
  expect(await readFile(`deploy/manifests/${file}-role.yaml`, "utf8")).toContain(`name: ${role}\n`);
});
