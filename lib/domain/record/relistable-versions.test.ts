import { expect, test } from "vitest";
import { relistableVersions } from "./relistable-versions.ts";

const pruned = ["v1alpha1", "v1beta1"];
const crd = (spec: string[], storedVersions: string[]) => ({ versions: spec.map((name) => ({ name })), storedVersions });

// With all versions of the prune, "Undo prune" asked to put back a version first that the undo of the other one doesn't need.
test("an undo of a prune leaves out what was removed since", () => {
  expect(relistableVersions(pruned, crd(["v1beta1", "v1"], ["v1"]))).toEqual(["v1beta1"]);
});

test("and what is listed again", () => {
  expect(relistableVersions(pruned, crd(["v1alpha1", "v1beta1", "v1"], ["v1beta1", "v1"]))).toEqual(["v1alpha1"]);
});

test("if none is left, it names all, so that the refusal says why", () => {
  expect(relistableVersions(pruned, crd(["v1beta1", "v1"], ["v1beta1", "v1"]))).toEqual(pruned);
  expect(relistableVersions(pruned, crd(["v1"], ["v1"]))).toEqual(pruned);
});
