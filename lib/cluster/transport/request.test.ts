import { expect, test } from "vitest";
import { pathSegment } from "./request.ts";

test("a name is one segment, or refused", () => {
  expect(pathSegment("crontabs.stable.example.com")).toBe("crontabs.stable.example.com");
  expect(pathSegment("system:node a")).toBe("system%3Anode%20a");
  for (const name of ["", ".", "..", "a/status", "a%2Fstatus", "%"])
    expect(() => pathSegment(name)).toThrow("is not a valid Kubernetes name");
});
