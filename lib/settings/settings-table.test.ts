import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandSpecs, globalOptions } from "#lib/cli/arguments/command-specs.ts";
import { serverOptions } from "#lib/server/read-options.ts";
import { readEnv, settingNames } from "./env.ts";

interface Row {
  name: string;
  default: string;
}

// Each section of the page has a table of its own.
const page = readFileSync("docs/settings.md", "utf8");
const rows: Row[] = page.split("\n").flatMap((line) => {
  const [, name = "", standard = ""] = /^\| `([^`]+)` +\| (\S*)/.exec(line) ?? [];
  return name ? [{ name, default: standard.replaceAll("`", "") }] : [];
});
const cliOptions = [...globalOptions, ...Object.values(commandSpecs).flatMap(({ options }) => options)];

test("the tables of docs/settings.md list every setting and option once, and no others", () => {
  const read = [
    ...settingNames,
    ...ofLocalCluster(),
    ...Object.keys(serverOptions).map((name) => `--${name}`),
    ...new Set(cliOptions.map(({ name }) => `--${name}`)),
  ];
  expect(rows.map(({ name }) => name).toSorted()).toEqual(read.toSorted());
});

test("the tables of docs/settings.md have the defaults of the code", () => {
  const env = readEnv({});
  const ofEnv = Object.entries(env).map(([name, value]) => [name, String(value) || "–"]);
  const ofCli = cliOptions.map(({ name, type, default: text = "" }) => {
    // In capitals, or empty, it is what the option takes and no default.
    const quoted = /^'(.+)'$/.exec(text)?.[1] ?? (/^\d+$/.test(text) ? text : "–");
    return [`--${name}`, type === "boolean" ? "" : quoted];
  });
  const ofServer = Object.keys(serverOptions).map((name) => [`--${name}`, ""]);
  const defaults = Object.fromEntries([...ofEnv, ...ofCli, ...ofServer]);
  const told = rows.filter(({ name }) => name in defaults);
  expect(Object.fromEntries(told.map((row) => [row.name, row.default]))).toEqual(defaults);
});

// It reads the environment by itself, in one statement.
function ofLocalCluster(): string[] {
  const source = readFileSync("lib/local-cluster/environment.ts", "utf8");
  const [, names = ""] = /const \{ ([A-Z_, ]+) \} = process\.env;/.exec(source) ?? [];
  expect(names).not.toBe("");
  // Common to all programs.
  return names.split(", ").filter((name) => name !== "PATH");
}
