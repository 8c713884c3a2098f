import { expect, test } from "vitest";
import { readEnv } from "#lib/settings/env.ts";
import { isReadOnly, modeOf } from "./mode.ts";

const of = (variables: Record<string, string>) => modeOf(readEnv(variables));
const IN_POD = { KUBERNETES_SERVICE_HOST: "10.0.0.1", HOST: "0.0.0.0" };

test("outside a container the default mode is local", () => {
  expect(of({})).toBe("local");
  expect(of({ CRDSHIFT_MODE: "token" })).toBe("token");
  expect(of({ CRDSHIFT_MODE: "unsafe-shared-readonly", HOST: "0.0.0.0" })).toBe("unsafe-shared-readonly");
});

test("in a container the mode must be set, and the error lists the modes", () => {
  for (const variables of [IN_POD, { CRDSHIFT_CONTAINER: "1" }]) {
    for (const mode of ["CRDSHIFT_MODE", "token", "unsafe-shared-readonly", "local"]) expect(() => of(variables)).toThrow(mode);
  }
  expect(of({ ...IN_POD, CRDSHIFT_MODE: "token" })).toBe("token");
});

test.each(["0.0.0.0", "::", "192.168.1.1", "crdshift.internal", "localhost.evil.com"])("the mode local refuses to listen on %s", (HOST) => {
  expect(() => of({ HOST })).toThrow(/not loopback.*[\s\S]*CRDSHIFT_MODE=token/);
});

test.each(["127.0.0.1", "127.3.4.5", "::1", "localhost", "LOCALHOST"])("the mode local listens on %s", (HOST) => {
  expect(of({ HOST })).toBe("local");
});

test("settings that would exceed users' own permissions, or that have no effect in the mode, are refused", () => {
  const etcd = { CRDSHIFT_ETCD_ENDPOINTS: "http://127.0.0.1:2379" };
  expect(of(etcd)).toBe("local");
  for (const mode of ["token", "unsafe-shared-readonly"])
    expect(() => of({ ...etcd, CRDSHIFT_MODE: mode })).toThrow("CRDSHIFT_ETCD_ENDPOINTS");
  expect(() => of({ CRDSHIFT_MODE: "token", CRDSHIFT_TOKEN: "x".repeat(32) })).toThrow("CRDSHIFT_TOKEN");
  expect(() => of({ CRDSHIFT_TOKEN_HEADER: "x-token" })).toThrow("CRDSHIFT_TOKEN_HEADER");
});

test("crdshift is read-only if set so, and always with the shared account", () => {
  expect(isReadOnly(readEnv({}))).toBe(false);
  expect(isReadOnly(readEnv({ CRDSHIFT_READ_ONLY: "true" }))).toBe(true);
  expect(isReadOnly(readEnv({ CRDSHIFT_MODE: "unsafe-shared-readonly" }))).toBe(true);
});
