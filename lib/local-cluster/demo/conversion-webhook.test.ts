import { expect, test } from "vitest";
import { convertCronTab } from "./conversion-webhook.ts";

const v1beta1 = "stable.example.com/v1beta1";
const v1 = "stable.example.com/v1";

test("splits hostPort into host and port, and leaves the rest alone", () => {
  const old = { apiVersion: v1beta1, metadata: { name: "a" }, spec: { replicas: 2, hostPort: "example.com:8080" } };
  expect(convertCronTab(old, v1)).toEqual({
    apiVersion: v1,
    metadata: { name: "a" },
    spec: { replicas: 2, host: "example.com", port: "8080" },
  });
});

test.each(["example.com:8080", "[::1]:443", "example.com", ":80", ""])("gets hostPort %j back unchanged", (hostPort) => {
  const old = { apiVersion: v1beta1, spec: { hostPort } };
  expect(convertCronTab(convertCronTab(old, v1), v1beta1)).toEqual(old);
});

test.each([{ apiVersion: v1 }, { apiVersion: v1, spec: {} }, { apiVersion: v1, spec: { host: "h", port: "1" } }])(
  "changes nothing but apiVersion there and back in %j",
  (cronTab) => {
    expect(convertCronTab(convertCronTab(cronTab, v1beta1), v1)).toEqual(cronTab);
  },
);
