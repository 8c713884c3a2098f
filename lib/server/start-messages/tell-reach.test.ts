import { expect, test } from "vitest";
import { localUrl } from "#lib/server/start-server.ts";
import { type Reach, tellReach } from "./tell-reach.ts";

const tell = (reach: Omit<Reach, "inPod">, inPod = false) => tellReach({ ...reach, inPod });

test.each(["127.0.0.1", "127.3.4.5", "::1"])("of one that listens on %s there is nothing to say", (address) => {
  expect(tell({ address, listeningHost: "localhost", origins: [] })).toBe("");
});

test("one that listens everywhere says so, and how it is reached", () => {
  for (const address of ["0.0.0.0", "::"]) {
    const told = tell({ address, listeningHost: address, origins: [] });
    expect(told).toMatch(/^It listens on all addresses and answers only to these names: localhost\.\n.* ssh -L, .*CRDSHIFT_ORIGINS\.$/);
    expect(tell({ address, listeningHost: "", origins: [] }, true)).toContain("use kubectl port-forward, or");
  }
});

test("addresses that it may be called by stand in place of advice", () => {
  const origins = ["https://crds.example.com", "https://crds.example.org:8443"];
  expect(tell({ address: "0.0.0.0", listeningHost: "", origins })).toBe(
    "It listens on all addresses and answers only to these names: localhost, https://crds.example.com, https://crds.example.org:8443.",
  );
  expect(tell({ address: "127.0.0.1", listeningHost: "127.0.0.1", origins: ["https://crds.example.com"] })).toBe(
    "It listens on 127.0.0.1 and answers only to these names: localhost, https://crds.example.com.",
  );
});

test("HOST is such a name, but where tokens are taken", () => {
  expect(tell({ address: "10.0.0.5", listeningHost: "crds.internal", origins: [] })).toBe(
    "It listens on 10.0.0.5 and answers only to these names: localhost, crds.internal.",
  );
  expect(tell({ address: "10.0.0.5", listeningHost: "", origins: [] })).toMatch(/only to these names: localhost\.\n.*CRDSHIFT_ORIGINS/);
});

test.each([
  ["127.0.0.1", "localhost", "http://localhost:3000"],
  ["0.0.0.0", "0.0.0.0", "http://127.0.0.1:3000"],
  ["::", "::", "http://[::1]:3000"],
  ["fd00::1", "fd00::1", "http://[fd00::1]:3000"],
  ["10.0.0.5", "crds.internal", "http://crds.internal:3000"],
])("one that listens on %s for %s is opened at %s", (address, host, url) => {
  expect(localUrl({ address, host, port: 3_000 })).toBe(url);
});
