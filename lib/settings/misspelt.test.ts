import { expect, test } from "vitest";
import { readEnv, settingNames, unknownSettings } from "./env.ts";

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
