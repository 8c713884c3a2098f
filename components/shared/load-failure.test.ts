import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { bindRoleCommand, clusterOfPath, MIGRATOR, VIEWER, wayUp } from "./load-failure.tsx";

test.each([
  ["/clusters/dev", "dev"],
  ["/clusters/p%252Fq/crds/a.example.com", "p%2Fq"],
  ["/clusters/p%2Fq", "p/q"],
  ["/clusters/100%25/crds/a.example.com/rewrites/1", "100%"],
  ["/", null],
  ["/clusters", null],
])("%s is a page of the cluster %s", (path, cluster) => {
  expect(clusterOfPath(path)).toBe(cluster);
});

test.each([
  ["/clusters/a%2Fb/crds/a.example.com/rewrites/1", { href: "/clusters/a%2Fb/crds/a.example.com", label: "Go to the definition" }],
  ["/clusters/a/crds/a.example.com/objects", { href: "/clusters/a/crds/a.example.com", label: "Go to the definition" }],
  ["/clusters/a/crds/a.example.com", { href: "/clusters/a", label: "Go to all definitions" }],
  ["/clusters/a", null],
  ["/", null],
])("above %s is %o", (path, up) => {
  expect(wayUp(path)).toEqual(up);
});

test.each([
  [
    "kubectl",
    "system:serviceaccount:team-a:ada",
    "kubectl create clusterrolebinding r-team-a-ada --clusterrole=r --serviceaccount=team-a:ada",
  ],
  [
    "kubectl --context dev",
    "ada@example.com",
    "kubectl --context dev create clusterrolebinding r-ada-example.com --clusterrole=r --user=ada@example.com",
  ],
  ["kubectl", "ada's $x", `kubectl create clusterrolebinding r-ada-s-x --clusterrole=r --user='ada'\\''s $x'`],
  ["kubectl", null, "kubectl create clusterrolebinding r-USER --clusterrole=r --user=USER"],
])("with %s, %s gets a role", (kubectl, user, command) => {
  expect(bindRoleCommand(kubectl, "r", user)).toBe(command);
});

test.each(["a;id>p:b", "a:`id`", "a:$(id)", "a:b c", "A:b", "a:b:c", "a:b\nid"])(
  "quotes a user that only starts like a service account: %j",
  (rest) => {
    const user = `system:serviceaccount:${rest}`;
    const name = user.replaceAll(/[^\w.-]+/g, "-");
    expect(bindRoleCommand("kubectl", "r", user)).toBe(
      `kubectl create clusterrolebinding r-${name} --clusterrole=r --user=${shellQuoted(user)}`,
    );
  },
);

test.each([
  ["viewer", VIEWER],
  ["migrator", MIGRATOR],
])("the manifests have a role with the %s's name", async (file, role) => {
  expect(await readFile(`deploy/manifests/${file}-role.yaml`, "utf8")).toContain(`name: ${role}\n`);
});
