import { expect, test } from "vitest";
import { storageVersionHash } from "./settle.ts";

test("the hash of a storage version is the one that API servers advertise, such as for Deployments in any cluster's discovery", () => {
  expect(storageVersionHash("apps", "v1", "Deployment")).toBe("8aSe+NMegvE=");
});
