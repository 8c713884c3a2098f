import { expect, test } from "vitest";
import { defaultRelease, kubernetesRelease, kubernetesReleases } from "./kubernetes-release.ts";

test("a release is chosen by its minor version or in full, and the newest is the default", () => {
  expect(kubernetesRelease(undefined)).toBe(defaultRelease);
  expect(defaultRelease).toBe(kubernetesReleases.at(-1));
  expect(kubernetesRelease("1.35")).toBe("1.35.4");
  expect(kubernetesRelease("1.36.3")).toBe("1.36.3");
});

test("a version that is not pinned is refused with those that are", () => {
  for (const named of ["1.3", "1.36.4", "v1.36.3", "latest"]) {
    expect(() => kubernetesRelease(named)).toThrow("Set it to one of 1.34.4, 1.35.4, 1.36.3, 1.37.2");
  }
});
