import { expect, it } from "vitest";
import { webhookAddress } from "./conversion-facts.tsx";

it("is what the service says, or what is in the URL", () => {
  expect(webhookAddress({ kind: "service", namespace: "ops", name: "hook", path: null, port: 8443 })).toEqual({ path: null, port: 8443 });
  expect(webhookAddress({ kind: "url", url: "https://hooks.example.com/a/b" })).toEqual({ path: "/a/b", port: 443 });
  expect(webhookAddress({ kind: "url", url: "https://[::1]:9443" })).toEqual({ path: "/", port: 9443 });
  expect(webhookAddress({ kind: "url", url: "no address" })).toEqual({ path: null, port: null });
});
