import { expect, test } from "vitest";
import { storageVersionHash } from "./storage-version-hash.ts";

test("is the hash that API servers advertise: the one of Deployments, from any cluster's discovery", () => {
  expect(storageVersionHash("apps", "v1", "Deployment")).toBe("8aSe+NMegvE=");
});
