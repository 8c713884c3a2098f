import { expect, test } from "vitest";
import { readEnv, settingNames, unknownSettings } from "./env.ts";
import { editDistance } from "./misspelt.ts";

test.each([
  ["CRDSHIFT_MOD", "CRDSHIFT_MODE"],
  ["CRDSHIFT_READONLY", "CRDSHIFT_READ_ONLY"],
  ["CRDSHIFT_ORIGIN", "CRDSHIFT_ORIGINS"],
  ["CRDSHIFT_SETTLE_SECS", "CRDSHIFT_SETTLE_SECONDS"],
  ["crdshift_mode", "CRDSHIFT_MODE"],
  ["CRDSHIFT_HOST", "HOST"],
  ["CRDSHIFT_PORT", "PORT"],
])("%s is reported as unknown, with %s as the likely setting", (name, meant) => {
  expect(unknownSettings({ [name]: "8080" })).toEqual([`${name} is not a setting and has no effect. Did you mean ${meant}?`]);
});

test("one that is near to none leads to the list of settings", () => {
  expect(unknownSettings({ CRDSHIFT_THEME: "dark" })).toEqual([
    "CRDSHIFT_THEME is not a setting and has no effect. docs/settings.md lists the settings.",
  ]);
});

test("settings, what is not set, what others read, and what the kubelet tells of a Service called crdshift are not among them", () => {
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
])("an invalid value of %s is reported with the valid ones, of which empty is not one", (name, value, expected) => {
  expect(() => readEnv({ [name]: value })).toThrow(`  ${name}: ${expected}\n`);
});

test.each([
  ["crontabs", "crontabs", 0],
  ["crontab", "crontabs", 1],
  ["crontabs", "rontabs", 1],
  ["crontaps", "crontabs", 1],
  ["corntabs", "crontabs", 2],
  ["kitten", "sitting", 3],
  ["", "abc", 3],
  ["abc", "", 3],
  ["", "", 0],
])("from %j to %j it is %d, either way", (one, other, distance) => {
  expect(editDistance(one, other, 3)).toBe(distance);
  expect(editDistance(other, one, 3)).toBe(distance);
});

test("what is further than asked for is only known to be further", () => {
  expect(editDistance("kitten", "sitting", 2)).toBe(Number.POSITIVE_INFINITY);
  expect(editDistance("a", "abcd", 2)).toBe(Number.POSITIVE_INFINITY);
});
