import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import packageJson from "#package.json" with { type: "json" };
import { buildCli, cliFile, linkCli, runCli } from "./testing/run-cli.ts";

const run = promisify(execFile);
const withoutOurs = (process.env.PATH ?? "").split(path.delimiter).filter((directory) => !directory.includes("node_modules"));

beforeAll(buildCli, 300_000);

test("help and the completion of words load no code that talks to clusters, and the bundle contains no page code", async () => {
  const dist = path.dirname(cliFile);
  const read = async (file: string) => ({ file, code: await readFile(path.join(dist, file), "utf8") });
  const loaded = new Map([["crdshift.mjs", await read("crdshift.mjs")]]);
  const pending = [await read("chunks/main.mjs"), await read("chunks/complete.mjs")];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { file, code } = next;
    loaded.set(file, { file, code });
    for (const [, name = ""] of code.matchAll(/^import .*"\.\/([^"]+)";$/gm)) pending.push(await read(`chunks/${name}`));
  }
  const size = [...loaded.values()].reduce((sum, { code }) => sum + code.length, 0);
  expect(loaded.size).toBeGreaterThan(2);
  expect(size).toBeLessThan(100_000);

  const chunks = await Promise.all((await readdir(path.join(dist, "chunks"))).map((name) => read(`chunks/${name}`)));
  const packages = chunks.flatMap(({ code }) => [...code.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => name));
  expect(packages).toContain("undici");
  expect(packages.filter((name) => /^(next|react|react-dom|@tanstack\/.*|@base-ui\/.*)$/.test(name ?? ""))).toEqual([]);
});

test("help uses the name the program was started under", async () => {
  const bin = await linkCli();
  const usage = async (name: string) => (await runCli(["rewrite", "--help"], {}, path.join(bin, name))).stdout.trimEnd().split("\n").at(-1);
  expect(await usage("crdshift")).toBe("  crdshift rewrite DEFINITION [options]");
  expect(await usage("kubectl-crdshift")).toBe("  kubectl crdshift rewrite DEFINITION [options]");
});

test("invalid input exits with 2 and a next step", async () => {
  expect(await runCli(["rewrite"])).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^Error: .*\nSee "crdshift rewrite --help"\.\n$/),
  });
  expect(await runCli(["status"], { CRDSHIFT_SETTLE_SECONDS: "soon" })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unset"),
  });
  // The server's message suggests its demo.
  expect(await runCli(["status"], { KUBECONFIG: "/nowhere/config" })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/\/nowhere\/config.*\n.*with --kubeconfig or \$KUBECONFIG\.\n$/),
  });
  const missing = await runCli(["status", "-o", "json", "--kubeconfig", "/nowhere/config"]);
  expect(missing).toMatchObject({ code: 2, stderr: "" });
  expect(JSON.parse(missing.stdout)).toMatchObject({
    error: { code: "invalid_input", message: expect.stringContaining("/nowhere/config") },
  });
});

test.each([
  ["status", "", "-o", "json"],
  ["rewrite", "-o=json"],
  ["nothing", "--output=json", "--bogus"],
])("prints the error for an invalid command line as json when asked for: %s", async (...words) => {
  const { code, stdout, stderr } = await runCli(words);
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "invalid_input", nextStep: expect.stringContaining("crdshift") } });
});

test("doesn't guess a context that kubectl would not guess", async () => {
  const env = { KUBECONFIG: await kubeconfig("east", "west") };
  expect(await runCli(["status"], env)).toMatchObject({ code: 2, stderr: expect.stringMatching(/--context: east, west\.\n$/) });
  const dangling = { KUBECONFIG: await kubeconfig("east") };
  await appendFile(dangling.KUBECONFIG, "\ncurrent-context: gone\n");
  expect(await runCli(["status"], dangling)).toMatchObject({ code: 2, stderr: expect.stringContaining("no valid current-context") });
  expect(await runCli(["status", "--context", "north"], env)).toMatchObject({ code: 3, stderr: expect.stringMatching(/east, west\.\n$/) });
});

test("refuses options that the cluster's own engine does not support before contacting a cluster", async () => {
  const { code, stderr } = await runCli(["rewrite", "crontabs", "--engine", "in-tree", "--max-per-second", "5"], {
    KUBECONFIG: await kubeconfig("east"),
  });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^Error: --max-per-second can't be used with --engine in-tree/),
  });
});

test("an unreachable API server exits with 5", async () => {
  const env = { KUBECONFIG: await kubeconfig("east") };
  expect(await runCli(["status", "crontabs"], env)).toMatchObject({
    code: 5,
    stdout: "",
    stderr: expect.stringMatching(/can't be reached/),
  });
});

// Without tellLost (main.ts) a script takes an empty file for the answer.
test("says so if its output couldn't be written, and exits with 1", async () => {
  const env = { ...process.env, PATH: `${await linkCli()}:${process.env.PATH}` };
  const failed = run("bash", ["--norc", "-c", "crdshift version > /dev/full"], { env });
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/its output couldn't be written: ENOSPC/) });
  const { stdout } = await run("bash", ["--norc", "-c", "set -o pipefail; crdshift --help | head -1; echo $?"], { env });
  expect(stdout).toMatch(/\n0\n$/);
});

const systemNode = withoutOurs.map((directory) => path.join(directory, "node")).find((file) => existsSync(file));
const systemVersion = systemNode ? (await run(systemNode, ["-p", "process.versions.node"])).stdout.trim() : "";
const isOlder = systemVersion !== "" && Number(systemVersion.split(".")[0]) < 22;

test.skipIf(!isOlder)("an older system Node hands over to the Node in the dependencies, keeping the name and the exit code", async () => {
  const env = { PATH: withoutOurs.join(path.delimiter) };
  const plugin = path.join(await linkCli(), "kubectl-crdshift");
  expect(await runCli(["version"], env, plugin)).toEqual({ code: 0, stdout: `crdshift ${packageJson.version}\n`, stderr: "" });
  expect(await runCli(["nothing"], env, plugin)).toMatchObject({ code: 2, stderr: expect.stringContaining('"kubectl crdshift --help"') });
  // Only what asks a cluster has to.
  const nowhere = { ...env, KUBECONFIG: await kubeconfig("east", "west") };
  expect(await runCli(["status", "--context", "north"], nowhere, plugin)).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/east, west/),
  });
  expect(await runCli(["__complete", "status", "--context", ""], nowhere, plugin)).toMatchObject({ code: 0, stdout: "east\nwest\n:4\n" });
});

describe("completion in bash", () => {
  /** The candidates that Tab offers at the end of the line, split into words as readline splits them. */
  async function offered(line: string, env: Record<string, string> = {}): Promise<string[]> {
    const bin = await linkCli();
    const words = line.split(/\s+|(?<=[=:@])|(?=[=:@])/).map((word) => `'${word}'`);
    const script = [
      `source <(crdshift completion bash)`,
      `COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(${words.join(" ")}) COMP_CWORD=${words.length - 1}`,
      `_crdshift crdshift`,
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    ].join("\n");
    const { stdout } = await run("bash", ["--norc", "-c", script], { env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, ...env } });
    return stdout.split("\n").filter(Boolean);
  }

  test.each(["bash", "zsh"])("%s can parse its completion script", async (shell) => {
    const { code, stdout } = await runCli(["completion", shell]);
    expect(code).toBe(0);
    const file = path.join(await folder(), "script");
    await writeFile(file, stdout);
    const isThere = await run("which", [shell]).then(
      () => true,
      () => false,
    );
    if (isThere) await run(shell, ["-n", file]);
    expect(isThere || shell === "zsh").toBe(true);
  });

  test("offers commands, options and their values", async () => {
    expect(await offered("crdshift re")).toEqual(["rewrite", "repair"]);
    expect(await offered("crdshift rewrite crontabs --ver")).toEqual(["--verify"]);
    expect(await offered("crdshift rewrite crontabs --verify ")).toEqual(["settle-point", "every-object"]);
    expect(await offered("crdshift rewrite crontabs --verify=e")).toEqual(["every-object"]);
    expect(await offered("crdshift completion ")).toEqual(["bash", "zsh"]);
  });

  test("offers contexts with special characters in their names", async () => {
    const env = { KUBECONFIG: await kubeconfig("arn:aws:eks:west", "kind@home", "two words") };
    expect(await offered("crdshift status --context ", env)).toEqual(["arn:aws:eks:west", "kind@home", "two\\ words"]);
    expect(await offered("crdshift status --context=arn:aws:e", env)).toEqual(["eks:west"]);
    expect(await offered("crdshift status --context kind@", env)).toEqual(["home"]);
  });

  test("offers and prints nothing when no cluster is reachable", async () => {
    expect(await offered("crdshift status ", { KUBECONFIG: "/nowhere" })).toEqual([]);
  });
});

async function folder(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-cli-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

async function kubeconfig(...contexts: string[]): Promise<string> {
  const file = path.join(await folder(), "config");
  const content = {
    contexts: contexts.map((name) => ({ name, context: { cluster: "none", user: "nobody" } })),
    clusters: [{ name: "none", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "nobody", user: {} }],
  };
  await writeFile(file, stringify(content));
  return file;
}
