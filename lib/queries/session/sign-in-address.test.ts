import { expect, test } from "vitest";
import { signInAddress } from "./sign-in-address.ts";

test.each([
  ["/", "", "", "/sign-in"],
  ["/", "?a=b", "", "/sign-in?from=%2F%3Fa%3Db"],
  ["/clusters/a%2Fb", "?q=x&state=blocked", "", "/sign-in?from=%2Fclusters%2Fa%252Fb%3Fq%3Dx%26state%3Dblocked"],
  ["/clusters/a", "?q=x", "#step-3", "/sign-in?from=%2Fclusters%2Fa%3Fq%3Dx%23step-3"],
  ["/sign-in", "?from=%2Fclusters%2Fa", "", null],
])("%s%s%s leads to %s", (pathname, search, hash, address) => {
  expect(signInAddress({ pathname, search, hash })).toBe(address);
  if (address?.includes("?")) expect(new URL(address, "http://localhost").searchParams.get("from")).toBe(`${pathname}${search}${hash}`);
});

test("includes the reason the session ended, if known", () => {
  expect(signInAddress({ pathname: "/", search: "", hash: "" }, "token-over")).toBe("/sign-in?ended=token-over");
  expect(signInAddress({ pathname: "/a", search: "", hash: "" }, "signed-out")).toBe("/sign-in?from=%2Fa&ended=signed-out");
});

test("leaves a launch link's secret out of the query", () => {
  expect(signInAddress({ pathname: "/clusters/a", search: "", hash: "#launch=secret" })).toBe("/sign-in?from=%2Fclusters%2Fa");
});
