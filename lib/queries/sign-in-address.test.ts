import { expect, test } from "vitest";
import { signInAddress } from "./sign-in-address.ts";

test.each([
  ["/", "", "/sign-in"],
  ["/", "?a=b", "/sign-in?from=%2F%3Fa%3Db"],
  ["/clusters/a%2Fb", "?q=x&state=blocked", "/sign-in?from=%2Fclusters%2Fa%252Fb%3Fq%3Dx%26state%3Dblocked"],
  ["/sign-in", "?from=%2Fclusters%2Fa", null],
])("from %s%s one goes to %s", (pathname, search, address) => {
  expect(signInAddress({ pathname, search })).toBe(address);
  if (address?.includes("?")) expect(new URL(address, "http://localhost").searchParams.get("from")).toBe(`${pathname}${search}`);
});
