import { expect, onTestFinished, test, vi } from "vitest";
import { readEnv, settingNames, unknownSettings } from "./env.ts";

test("every setting has a default, and an empty variable counts as unset", () => {
  const defaults = readEnv({});
  expect(defaults).toMatchObject({ PORT: 3000, HOST: "127.0.0.1", KUBECONFIG: "", CRDSHIFT_SETTLE_SECONDS: 65 });
  expect(readEnv({ PORT: "", HOST: "", CRDSHIFT_SETTLE_SECONDS: "" })).toEqual(defaults);
});

test.each([
  ["PORT", "0", 0],
  ["PORT", "65535", 65_535],
  ["CRDSHIFT_SETTLE_SECONDS", "0", 0],
  ["CRDSHIFT_SETTLE_SECONDS", "2.5", 2.5],
])("%s=%s is accepted", (name, value, expected) => {
  expect(readEnv({ [name]: value })).toMatchObject({ [name]: expected });
});

test.each([
  ["PORT", "http"],
  ["PORT", "-1"],
  ["PORT", "65536"],
  ["PORT", "80.5"],
  ["CRDSHIFT_SETTLE_SECONDS", "-1"],
  ["CRDSHIFT_SETTLE_SECONDS", "soon"],
  ["CRDSHIFT_SETTLE_SECONDS", "Infinity"],
])("%s=%s is refused with the variable's name and what to do", (name, value) => {
  expect(() => readEnv({ [name]: value })).toThrow(new RegExp(`${name}: .*\\n.*unset`));
});

// Without what is known (env.ts), whoever asks for anything has it parsed seven times, which takes a millisecond.
test("the environment is parsed again only once it has changed", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const before = readEnv();
  expect(readEnv()).toBe(before);
  vi.stubEnv("PORT", "4000");
  expect(readEnv()).toMatchObject({ ...before, PORT: 4000 });
  vi.stubEnv("PORT", "http");
  expect(() => readEnv()).toThrow("PORT: ");
  vi.stubEnv("PORT", undefined);
  expect(readEnv()).toEqual({ ...before, PORT: 3000 });
});

test("all invalid settings are named at once", () => {
  expect(() => readEnv({ PORT: "http", CRDSHIFT_SETTLE_SECONDS: "soon" })).toThrow(/PORT: [\s\S]*CRDSHIFT_SETTLE_SECONDS: /);
});

test("etcd's endpoints are read as origins, and its prefix as kube-apiserver reads it", () => {
  expect(readEnv({}).CRDSHIFT_ETCD_ENDPOINTS).toEqual([]);
  expect(
    readEnv({ CRDSHIFT_ETCD_ENDPOINTS: "https://10.0.0.1:2379, http://[::1]:2379/,", CRDSHIFT_ETCD_PREFIX: "other//registry/" }),
  ).toMatchObject({
    CRDSHIFT_ETCD_ENDPOINTS: ["https://10.0.0.1:2379", "http://[::1]:2379"],
    CRDSHIFT_ETCD_PREFIX: "/other/registry",
  });
  expect(readEnv({}).CRDSHIFT_ETCD_PREFIX).toBe("/registry");
  expect(readEnv({ CRDSHIFT_ETCD_PREFIX: "/" }).CRDSHIFT_ETCD_PREFIX).toBe("");
});

const etcd = { CRDSHIFT_ETCD_ENDPOINTS: "https://10.0.0.1:2379" };
test.each([
  ["CRDSHIFT_ETCD_ENDPOINTS", { CRDSHIFT_ETCD_ENDPOINTS: "10.0.0.1:2379" }],
  ["CRDSHIFT_ETCD_ENDPOINTS", { CRDSHIFT_ETCD_ENDPOINTS: "https://10.0.0.1:2379,etcd" }],
  ["CRDSHIFT_ETCD_ENDPOINTS", { CRDSHIFT_ETCD_ENDPOINTS: "ftp://10.0.0.1" }],
  ["CRDSHIFT_ETCD_ENDPOINTS", { CRDSHIFT_ETCD_ENDPOINTS: "https://me:secret@10.0.0.1:2379" }],
  ["CRDSHIFT_ETCD_ENDPOINTS", { CRDSHIFT_ETCD_ENDPOINTS: "https://10.0.0.1:2379/v3" }],
  ["CRDSHIFT_ETCD_ENDPOINTS", { CRDSHIFT_ETCD_CACERT: "ca.pem" }],
  ["CRDSHIFT_ETCD_CERT", { ...etcd, CRDSHIFT_ETCD_CERT: "client.pem" }],
  ["CRDSHIFT_ETCD_KEY", { ...etcd, CRDSHIFT_ETCD_KEY: "client.key" }],
])("an invalid %s is refused: %j", (name, variables) => {
  expect(() => readEnv(variables)).toThrow(new RegExp(`${name}: .*\\n.*unset`));
});

test.each([
  [undefined, false],
  ["off", false],
  ["0", false],
  ["on", true],
  ["true", true],
  ["1", true],
])("CRDSHIFT_METRICS=%s switches metrics on: %s", (value, expected) => {
  expect(readEnv({ CRDSHIFT_METRICS: value }).CRDSHIFT_METRICS).toBe(expected);
});

test("CRDSHIFT_PROTECTED is read as a list of name patterns", () => {
  expect(readEnv({}).CRDSHIFT_PROTECTED).toEqual([]);
  expect(readEnv({ CRDSHIFT_PROTECTED: " *.cert-manager.io, crontabs.example.com,," }).CRDSHIFT_PROTECTED).toEqual([
    "*.cert-manager.io",
    "crontabs.example.com",
  ]);
});

test.each(["Crontabs.example.com", "crontabs.example.com;*", "*.example.com *.cert-manager.io", "/.*/", "crontabs?"])(
  "the protection pattern %s is refused with an example of a valid one",
  (value) => {
    expect(() => readEnv({ CRDSHIFT_PROTECTED: value })).toThrow(/CRDSHIFT_PROTECTED: .*lower case.*\*\.cert-manager\.io/);
  },
);

test.each([
  ["CRDSHIFT_MOD", "CRDSHIFT_MODE"],
  ["CRDSHIFT_READONLY", "CRDSHIFT_READ_ONLY"],
  ["CRDSHIFT_ORIGIN", "CRDSHIFT_ORIGINS"],
  ["CRDSHIFT_SETTLE_SECS", "CRDSHIFT_SETTLE_SECONDS"],
  ["crdshift_mode", "CRDSHIFT_MODE"],
  ["CRDSHIFT_ORIGINSXYZ", "CRDSHIFT_ORIGINS"],
  ["CRDSHIFT_HOST", "HOST"],
  ["CRDSHIFT_PORT", "PORT"],
])("%s is reported as unknown, with %s as the likely setting", (name, meant) => {
  expect(unknownSettings({ [name]: "8080" })).toEqual([`${name} is not a setting and has no effect. Did you mean ${meant}?`]);
});

test("an unknown setting that resembles none leads to the list of settings", () => {
  for (const name of ["CRDSHIFT_THEME", "CRDSHIFT_ORIGINSWXYZ"]) {
    expect(unknownSettings({ [name]: "dark" })).toEqual([
      `${name} is not a setting and has no effect. docs/settings.md lists the settings.`,
    ]);
  }
});

test("known settings, empty variables, other programs' variables and those of a Service named crdshift are not reported", () => {
  expect(unknownSettings(Object.fromEntries(settingNames.map((name) => [name, "x"])))).toEqual([]);
  const ofService = {
    CRDSHIFT_SERVICE_HOST: "10.0.0.1",
    CRDSHIFT_SERVICE_PORT: "3000",
    CRDSHIFT_SERVICE_PORT_HTTP: "3000",
    CRDSHIFT_PORT: "tcp://10.0.0.1:3000",
    CRDSHIFT_PORT_3000_TCP: "tcp://10.0.0.1:3000",
    CRDSHIFT_PORT_3000_TCP_ADDR: "10.0.0.1",
    CRDSHIFT_BLUE_SERVICE_HOST: "10.0.0.2",
    CRDSHIFT_BLUE_PORT: "tcp://10.0.0.2:3000",
  };
  expect(unknownSettings({ ...ofService, CRDSHIFT_MOD: "", MODE: "token", HTTP_PROXY: "http://proxy" })).toEqual([]);
});

test.each([
  ["CRDSHIFT_MODE", "tokens", "expected local, token or unsafe-shared-readonly"],
  ["CRDSHIFT_READ_ONLY", "yes", "expected true or false"],
  ["NODE_ENV", "prod", "expected development, production or test"],
])("an invalid value of %s is reported with the valid values", (name, value, expected) => {
  expect(() => readEnv({ [name]: value })).toThrow(`  ${name}: ${expected}\n`);
});
