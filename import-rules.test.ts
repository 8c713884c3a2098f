import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

/** A file in a folder, what it imports, and what the lint must say about it. */
const violations: [file: string, specifier: string, message: RegExp][] = [
  ["lib/domain/planted.ts", "#lib/contract/definition/crd.ts", /lib\/domain is pure .* Schemas belong in lib\/contract/],
  ["lib/domain/planted.ts", "#lib/settings/env.ts", /lib\/domain is pure/],
  ["lib/domain/planted.ts", "zod", /lib\/domain is pure/],
  ["lib/domain/planted.ts", "node:fs", /lib\/domain is pure/],
  ["lib/contract/planted.ts", "#lib/cluster/definitions/crds.ts", /lib\/contract holds schemas .* calls of the API server in lib\/cluster/],
  ["lib/contract/planted.ts", "react", /lib\/contract holds schemas/],
  ["lib/async/planted.ts", "#lib/cluster/definitions/crds.ts", /belongs in the folder that uses it/],
  ["lib/planted.ts", "#lib/cluster/definitions/crds.ts", /belongs in the folder that uses it/],
  ["lib/settings/planted.ts", "#lib/domain/definition/crd.ts", /belongs in the folder that uses it/],
  ["lib/process-wide/planted.ts", "#lib/settings/env.ts", /belongs in the folder that uses it/],
  ["lib/cluster/planted.ts", "#lib/rewrite/run/progress/tally.ts", /What drives a rewrite belongs in lib\/rewrite/],
  ["lib/cluster/planted.ts", "#lib/http/signed-in-route.ts", /what answers a request in app\/api/],
  ["lib/cluster/planted.ts", "#lib/local-cluster/start-local-cluster.ts", /lib\/cluster imports/],
  ["lib/rewrite/planted.ts", "#lib/http/signed-in-route.ts", /lib\/rewrite imports/],
  ["lib/rewrite/planted.ts", "#lib/settings/env.ts", /Settings come as parameters/],
  ["lib/rewrite/planted.ts", "#lib/local-cluster/start-local-cluster.ts", /lib\/rewrite imports/],
  ["lib/rewrite/planted.ts", "@kubernetes/client-node", /Only lib\/cluster talks to API servers/],
  ["lib/rewrite/planted.ts", "undici", /Only lib\/cluster talks to API servers/],
  ["lib/http/planted.ts", "#lib/cluster/definitions/crds.ts", /lib\/http wraps handlers/],
  ["lib/http/planted.ts", "#lib/domain/definition/crd.ts", /lib\/http wraps handlers/],
  ["lib/http/planted.ts", "#lib/rewrite/record/record-action.ts", /lib\/http wraps handlers/],
  ["lib/sign-in/planted.ts", "#lib/http/signed-in-route.ts", /lib\/sign-in says who asks/],
  ["lib/rewrite/planted.ts", "#lib/sign-in/session/session.ts", /lib\/rewrite imports/],
  ["lib/cluster/planted.ts", "#lib/sign-in/session/session.ts", /lib\/cluster imports/],
  ["lib/queries/planted.ts", "#lib/cluster/definitions/crds.ts", /lib\/queries runs in the browser/],
  ["lib/queries/planted.ts", "node:fs", /What needs Node belongs behind app\/api/],
  ["lib/queries/planted.ts", "node:fs/promises", /What needs Node belongs behind app\/api/],
  ["lib/queries/planted.ts", "#components/ui/form.tsx", /lib\/queries runs in the browser/],
  ["lib/local-cluster/planted.ts", "#lib/rewrite/commands/start-rewrite.ts", /lib\/local-cluster stands alone/],
  ["lib/supply-chain/planted.ts", "#lib/cluster/definitions/crds.ts", /lib\/supply-chain stands alone/],
  ["lib/cli/planted.ts", "#lib/server/start-server.ts", /lib\/cli is the command line/],
  ["lib/cli/commands/planted.ts", "#components/shared/names.tsx", /lib\/cli is the command line/],
  ["lib/cli/planted.ts", "undici", /Only lib\/cluster talks to API servers/],
  ["lib/cli/planted.ts", "react", /No page's code is part of the command line/],
  ["lib/rewrite/planted.ts", "#lib/cli/terminal/output.ts", /lib\/rewrite imports/],
  ["lib/server/planted.ts", "#lib/cli/main.ts", /lib\/server starts the process/],
  ["lib/server/planted.ts", "#components/ui/form.tsx", /lib\/server starts the process/],
  ["lib/server/planted.ts", "undici", /Only lib\/cluster talks to API servers/],
  ["app/planted.tsx", "#lib/cluster/definitions/crds.ts", /Pages read no cluster/],
  ["app/clusters/[cluster]/planted.tsx", "#lib/rewrite/read-runs.ts", /Pages read no cluster/],
  ["app/planted.tsx", "#app/api/ready/route.ts", /Pages read no cluster/],
  ["app/planted.tsx", "#lib/local-cluster/start-local-cluster.ts", /Pages read no cluster/],
  ["app/planted.tsx", "undici", /Only lib\/cluster talks to API servers/],
  ["app/planted.tsx", "@kubernetes/client-node/dist/index.js", /Only lib\/cluster talks to API servers/],
  ["app/planted.tsx", "node:fs", /What needs Node belongs behind app\/api/],
  ["app/api/planted.ts", "#components/ui/form.tsx", /A route handler joins/],
  ["app/api/planted.ts", "#lib/queries/query-client.ts", /A route handler joins/],
  ["app/api/clusters/[cluster]/planted.ts", "#lib/local-cluster/start-local-cluster.ts", /A route handler joins/],
  ["app/api/planted.ts", "#lib/cluster/connection/connect.ts", /gets its connection from clusterRoute/],
  ["app/api/planted.ts", "#lib/cluster/connection/open-connection.ts", /gets its connection from clusterRoute/],
  ["components/shared/planted.tsx", "#lib/cluster/definitions/crds.ts", /Components import components/],
  ["components/shared/planted.tsx", "#lib/rewrite/read-runs.ts", /Components import components/],
  ["components/shared/planted.tsx", "#app/page.tsx", /Components import components/],
  ["components/shared/planted.tsx", "node:path", /What needs Node belongs behind app\/api/],
  ["components/ui/planted.tsx", "#components/shared/names.tsx", /components\/ui holds primitives/],
  ["components/ui/planted.tsx", "#lib/contract/definition/crd.ts", /components\/ui holds primitives/],
  ["components/ui/planted.tsx", "#lib/domain/definition/crd.ts", /components\/ui holds primitives/],
  ["components/ui/planted.tsx", "#lib/queries/query-client.ts", /components\/ui holds primitives/],
  // Relative paths would slip past the rules above.
  ...[
    "lib/domain",
    "lib/cluster",
    "lib/rewrite",
    "lib/local-cluster/demo",
    "lib/cli",
    "lib/server",
    "app/api",
    "components/ui",
    "e2e",
    "bench",
  ].map((folder): [string, string, RegExp] => [
    `${folder}/planted.ts`,
    "../contract/crd.ts",
    /Relative imports stay inside a folder|imports nothing/,
  ]),
  ["lib/rewrite/planted.test.ts", "../cluster/crds.ts", /Relative imports stay inside a folder/],
];

const allowed: [file: string, specifier: string][] = [
  ["lib/domain/planted.ts", "./crd.ts"],
  ["lib/domain/planted.ts", "#lib/domain/definition/crd.ts"],
  ["lib/contract/planted.ts", "zod"],
  ["lib/contract/planted.ts", "#lib/domain/definition/crd.ts"],
  ["lib/cluster/planted.ts", "@kubernetes/client-node"],
  ["lib/cluster/planted.ts", "undici"],
  ["lib/async/planted.ts", "#lib/process-wide/process-wide.ts"],
  ["lib/cluster/planted.ts", "#lib/async/sleep.ts"],
  ["lib/cluster/planted.ts", "#lib/settings/env.ts"],
  ["lib/rewrite/planted.ts", "#lib/cluster/definitions/crds.ts"],
  ["lib/http/planted.ts", "#lib/contract/error.ts"],
  ["lib/http/planted.ts", "#lib/sign-in/authenticate.ts"],
  ["lib/http/planted.ts", "#lib/rewrite/guards/justify-change.ts"],
  ["lib/sign-in/planted.ts", "#lib/cluster/connection/connect.ts"],
  ["app/api/planted.ts", "#lib/sign-in/sign-in.ts"],
  ["lib/queries/planted.ts", "#lib/contract/error.ts"],
  ["lib/supply-chain/planted.ts", "zod"],
  ["lib/cli/commands/planted.ts", "#lib/rewrite/commands/start-rewrite.ts"],
  ["lib/cli/planted.ts", "#lib/settings/env.ts"],
  ["lib/server/planted.ts", "#lib/local-cluster/start-demo.ts"],
  ["app/planted.tsx", "#components/fleet/fleet.tsx"],
  ["app/api/planted.ts", "#lib/rewrite/commands/start-rewrite.ts"],
  ["app/api/planted.ts", "#lib/http/signed-in-route.ts"],
  ["app/api/planted.ts", "node:fs"],
  ["components/shared/planted.tsx", "#components/ui/form.tsx"],
  ["components/shared/planted.tsx", "#lib/queries/query-client.ts"],
  ["components/ui/planted.tsx", "./form.tsx"],
  ["lib/rewrite/planted.test.ts", "#lib/local-cluster/start-local-cluster.ts"],
  ["lib/rewrite/planted.test.ts", "undici"],
  ["components/shared/planted.test.tsx", "node:fs"],
  ["lib/cluster/planted.integration.test.ts", "#lib/local-cluster/api-client.ts"],
  ["e2e/planted.ts", "#lib/local-cluster/start-local-cluster.ts"],
  // Tests drive the whole product as a process, wherever they are.
  ["e2e/planted.ts", "#lib/server/testing/start-dashboard.ts"],
  ["lib/cluster/planted.long.test.ts", "#lib/server/testing/start-dashboard.ts"],
  ["lib/rewrite/planted.long.test.ts", "#lib/server/testing/start-dashboard.ts"],
  ["lib/rewrite/testing/planted.ts", "#lib/server/testing/start-dashboard.ts"],
];

/** Code of other rules of the house, and the lint rule that must refuse it. */
const badCode: [file: string, code: string, rule: string][] = [
  ["lib/cluster/planted.ts", "export const home = process.env.HOME;", "lint/style/noProcessEnv"],
  ["components/shared/planted.tsx", "export const mode = process.env.NODE_ENV;", "lint/style/noProcessEnv"],
  ["lib/domain/planted.ts", "export const anything = (value: any) => value;", "lint/suspicious/noExplicitAny"],
  ["lib/domain/planted.ts", 'export * from "./crd.ts";', "lint/performance/noReExportAll"],
  ["lib/domain/index.ts", 'export { hasCondition } from "./crd.ts";', "lint/performance/noBarrelFile"],
  ["lib/domain/planted.ts", "export default 1;", "lint/style/noDefaultExport"],
  ["lib/domain/PlantedName.ts", "export const name = 1;", "lint/style/useFilenamingConvention"],
  ["lib/cluster/planted.ts", "console.log(1);", "lint/suspicious/noConsole"],
  // The rules in lint/ see every kind of import.
  ["lib/cluster/planted.ts", 'export { readCrd } from "./../crds.ts";', "plugin"],
  ["lib/cluster/planted.ts", 'export const crds = import("../crds.ts");', "plugin"],
  ["lib/cluster/planted.ts", 'import "../crds.ts";', "plugin"],
];

/** What the lint said about every planted file, by path. */
let said: Map<string, string[]>;

describe("import rules", () => {
  const importing = (specifier: string) => `import type { Planted } from "${specifier}";\nexport type Alias = Planted;`;
  const cases = [
    ...violations.map(([file, specifier]) => ({ file, code: importing(specifier) })),
    ...allowed.map(([file, specifier]) => ({ file, code: importing(specifier) })),
    ...badCode.map(([file, code]) => ({ file, code })),
  ];
  const planted = ({ file, code }: { file: string; code: string }) => {
    const index = cases.findIndex((one) => one.file === file && one.code === code);
    return file.replace("planted", `planted-${index}`);
  };
  const saidOf = (file: string, code: string) => said.get(planted({ file, code })) ?? [];

  beforeAll(async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "crdshift-lint-"));
    try {
      await cp("biome.json", path.join(directory, "biome.json"));
      await cp("lint", path.join(directory, "lint"), { recursive: true });
      for (const one of cases) {
        const file = path.join(directory, planted(one));
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, `${one.code}\n`);
      }
      said = await lint(directory);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test.each(violations)("%s must not import %s, and the lint says where the code belongs", (file, specifier, message) => {
    const refusals = saidOf(file, importing(specifier)).filter((line) => /^(?:lint\/style\/noRestrictedImports|plugin): /.test(line));
    expect(refusals).toContainEqual(expect.stringMatching(message));
  });

  test.each(allowed)("%s may import %s", (file, specifier) => {
    expect(saidOf(file, importing(specifier))).toEqual([]);
  });

  test.each(badCode)("%s must not hold: %s", (file, code, rule) => {
    expect(saidOf(file, code).filter((line) => line.startsWith(`${rule}: `))).toHaveLength(1);
  });
});

test("there are no Server Actions", async () => {
  const directive = /^\s*["']use server["']/m;
  expect('export async function act() {\n  "use server";\n}').toMatch(directive);
  for (const folder of ["app", "components", "lib"]) {
    for (const name of await readdir(folder, { recursive: true })) {
      if (!/\.(?:m?js|jsx|tsx?)$/.test(name)) continue;
      const file = path.join(folder, name);
      const hint = `${file} has "use server": write a route handler in app/api instead`;
      expect(directive.test(await readFile(file, "utf8")), hint).toBe(false);
    }
  }
});

interface Diagnostic {
  category: string;
  message: string;
  location: { path: string };
}

function lint(directory: string): Promise<Map<string, string[]>> {
  const biome = path.resolve("node_modules/.bin/biome");
  const args = [biome, "lint", "--vcs-enabled=false", "--reporter=json", "--max-diagnostics=none", "."];
  return new Promise((resolve, reject) => {
    // It ends with an exit code when it finds something, which is what this wants.
    execFile(process.execPath, args, { cwd: directory, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      try {
        const { diagnostics }: { diagnostics: Diagnostic[] } = JSON.parse(stdout);
        const byFile = Map.groupBy(diagnostics, ({ location }) => location.path);
        resolve(new Map([...byFile].map(([file, found]) => [file, found.map(({ category, message }) => `${category}: ${message}`)])));
      } catch {
        reject(new Error(`biome printed no JSON: ${stderr || stdout}`));
      }
    });
  });
}
