import { expect, test } from "vitest";
import { clusterOfPath, wayUp } from "./load-failure.tsx";

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
