import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { writeContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { crdDetailSchema, crdListSchema } from "#lib/contract/definition/crd.ts";
import { eventSchemas } from "#lib/contract/events.ts";
import { dryRunSchema } from "#lib/contract/rewrite/dry-run.ts";
import { runSchema } from "#lib/contract/rewrite/run.ts";
import { findProgram } from "#lib/local-cluster/binaries/find-program.ts";
import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { buildCli, linesOf, linkCli, runCli, runOnTerminal } from "./testing/run-cli.ts";

const bench = await openTestBench();
const onCluster = { KUBECONFIG: bench.cluster.kubeconfig };

beforeAll(buildCli);

const storedVersions = async (definition: SampleDefinition) => (await definition.read()).status.storedVersions;

test("status, rewrite, prune and undo-prune report their outcome to scripts", async () => {
  const definition = await bench.stale(30);
  const crdshift = (...args: string[]) => runCli([...args, "-o", "json"], onCluster);
  const status = async () => {
    const { code, stdout } = await crdshift("status", definition.name, "--exit-code");
    return { code, crd: crdDetailSchema.parse(JSON.parse(stdout)) };
  };
  expect(await status()).toMatchObject({ code: 20, crd: { state: "needs-rewrite", objects: { total: 30, basis: "list" } } });
  expect(await crdshift("prune", definition.name, "--confirm", definition.name)).toMatchObject({ code: 8 });

  const { code, stdout, stderr } = await crdshift("rewrite", definition.name);
  expect(runSchema.parse(JSON.parse(stdout))).toMatchObject({ phase: "succeeded", counts: { total: 30, rewritten: 30, rejected: 0 } });
  expect(code).toBe(0);
  const lines = linesOf(stderr);
  const phases = lines.filter(({ event }) => event === "run").map(({ data }) => eventSchemas.run.parse(data).phase);
  expect(phases.at(-1)).toBe("succeeded");
  expect(lines.map(({ action }) => action).filter(Boolean)).toEqual(["started", "succeeded"]);
  expect(await bench.storedAs(definition)).toEqual({ v1: 30 });
  expect(await status()).toMatchObject({ code: 21, crd: { state: "prunable" } });

  expect(await runCli(["prune", definition.name], onCluster)).toMatchObject({ code: 2, stderr: expect.stringContaining("--confirm") });
  expect(await crdshift("prune", definition.name, "--confirm", "widgets")).toMatchObject({ code: 2 });
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
  const pruned = await crdshift("prune", definition.name, "--confirm", definition.name);
  expect(crdDetailSchema.parse(JSON.parse(pruned.stdout))).toMatchObject({ state: "current", storedVersions: ["v1"] });
  expect(pruned.code).toBe(0);
  expect(await storedVersions(definition)).toEqual(["v1"]);
  expect(await status()).toMatchObject({ code: 0 });

  const restored = await runCli(["undo-prune", definition.name], onCluster);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Undid the prune of v1beta1: .* is now v1beta1, v1\.\n$/) });
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
  expect(await crdshift("undo-prune", definition.name)).toMatchObject({ code: 8 });

  const typed = (answer: string) =>
    runOnTerminal(["prune", definition.name], { env: onCluster, question: /Type the definition's name to prune: /, answer });
  expect(await typed("widgets\n")).toMatchObject({ code: 2, shown: expect.stringContaining("Nothing was pruned") });
  expect(await typed(`${definition.name}\n`)).toMatchObject({ code: 0, shown: expect.stringContaining("This removes v1beta1 from") });
  expect(await storedVersions(definition)).toEqual(["v1"]);
  expect(await runCli(["undo-prune", definition.name, "v1", "v1beta1"], onCluster)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Undid the prune of v1beta1: /),
  });
});

faultTest("losses hold a rewrite back until they are accepted", async (faulty) => {
  const [size, note] = [{ size: { type: "integer" } }, { note: { type: "string" } }];
  const versions = (storage: "v1" | "v1beta1"): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: size },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { ...size, ...note } },
  ];
  const definition = await faulty.stale(5, {
    versions: { before: versions("v1beta1"), after: versions("v1") },
    spec: (index) => ({ size: index, note: "kept so far" }),
  });
  const KUBECONFIG = await writeContexts(faulty.cluster, { name: "cli", server: faulty.proxy.server });
  const record = faulty.proxy.inject(recordOf(definition, "lossesKnown"), { kind: "delay", ms: 1_500 });
  const dryRun = await runCli(["dry-run", definition.name, "-o", "json"], { KUBECONFIG });
  expect(dryRunSchema.parse(JSON.parse(dryRun.stdout))).toMatchObject({
    phase: "succeeded",
    losses: [{ kind: "dropped", path: "spec.note", objects: 5 }],
  });
  expect(dryRun.code).toBe(11);
  // It ends only after the losses are recorded, so the next start is refused.
  expect(record.hits()).toBe(1);
  const refused = await runCli(["rewrite", definition.name], onCluster);
  expect(refused).toMatchObject({
    code: 11,
    stdout: "",
    stderr: expect.stringMatching(/held back: spec\.note would be dropped in 5 objects.*--accept-losses/s),
  });
  expect(await bench.storedAs(definition)).toEqual({ v1beta1: 5 });
  expect(await runCli(["rewrite", definition.name, "--accept-losses"], onCluster)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Next: crdshift prune ${definition.name}`),
  });
  expect(await bench.storedAs(definition)).toEqual({ v1: 5 });
});

test("status of a definition says that server-side apply is broken, and the command that it suggests repairs it", async () => {
  const definition = await bench.define([{ name: "v1", storage: true }, { name: "v1beta1" }]);
  const names = ["one", "two", "three"];
  for (const name of names) await bench.apply(definition, "v1beta1", name, "owner", { size: 1 });
  await bench.flip(definition, [{ name: "v1", storage: true }]);
  const status = () => runCli(["status", definition.name, "--exit-code"], onCluster);
  const broken = await status();
  expect(broken).toMatchObject({
    code: 10,
    stdout: expect.stringContaining("Server-side apply fails for 3 objects: their managedFields name v1beta1, which is gone."),
  });
  expect(broken.stdout).toContain(`crdshift rewrite ${definition.name} --keep-ownership`);
  await expect(bench.apply(definition, "v1", "one", "owner", { size: 2 })).rejects.toThrow(/500 .*invalid group\/version/);

  const repairing = ["rewrite", definition.name, "--keep-ownership"];
  expect(await runCli(repairing, onCluster)).toMatchObject({ code: 0 });
  for (const name of names) await bench.apply(definition, "v1", name, "owner", { size: 2 });
  expect(await status()).toMatchObject({ code: 0 });
});

// Without canCarryOver (next-step.ts) status named the same rewrite again and again, which ended without a word.
test("entries that no rewrite can carry over: its end says why, and the next step is the page that cleans them, and the prune", async () => {
  const old = [{ name: "v1alpha1" }, { name: "v1beta1", storage: true }, { name: "v1" }];
  const definition = await bench.define(old);
  await bench.apply(definition, "v1alpha1", "one", "owner", { size: 1, note: "n" });
  const properties = { size: { type: "integer" }, note: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await bench.flip(definition, [{ name: "v1", storage: true, properties }, { name: "v1beta1" }]);
  const rewritten = await runCli(["rewrite", definition.name, "--keep-ownership"], onCluster);
  expect(rewritten).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("The managedFields of 1 object still name a version that is gone"),
  });
  const next = `Clean v1alpha1 under Managed fields on the definition's page; to prune meanwhile: crdshift prune ${definition.name}`;
  expect(rewritten.stdout).toContain(`Next: ${next}`);
  const { stdout } = await runCli(["status", definition.name], onCluster);
  expect(stdout).toContain("its managedFields name v1alpha1, which is gone");
  expect(stdout).toMatch(/^Next: +Clean v1alpha1 under Managed fields on the definition's page/m);
  expect(stdout).not.toContain("--keep-ownership");
});

test("as a kubectl plugin: shows the fleet, resolves unique names, and completes", async () => {
  const [one, other] = [await bench.define(beforeFlip), await bench.define(beforeFlip)];
  const env = { ...onCluster, PATH: [await linkCli(), process.env.PATH].join(path.delimiter) };
  const kubectl = await findProgram("kubectl");
  const plugin = (...args: string[]) => runCli(args, env, kubectl);

  const fleet = await plugin("crdshift", "status", "-o", "json");
  expect(crdListSchema.parse(JSON.parse(fleet.stdout)).items.map(({ name }) => name)).toEqual(
    expect.arrayContaining([one.name, other.name]),
  );
  expect(fleet).toMatchObject({ code: 0, stderr: "" });
  const ambiguous = await plugin("crdshift", "status", "widgets");
  expect(ambiguous.code).toBe(2);
  for (const { name } of [one, other]) expect(ambiguous.stderr).toContain(name);
  expect(await plugin("crdshift", "status", "nothing")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("kubectl crdshift status"),
  });

  const completed = await plugin("__complete", "crdshift", "status", one.name.slice(0, -3));
  expect(completed.stdout).toBe(`${one.name}\n:4\n`);
});

// Without isEndRefused (commands/rewrite.ts) it ends without the proof, and says that the rewrite shows as verifying.
faultTest("rewrite tries on while the cluster refuses to record the end, and succeeds once it may", async (faulty) => {
  const definition = await faulty.stale(5);
  const KUBECONFIG = await writeContexts(faulty.cluster, { name: "cli", server: faulty.proxy.server });
  const body = JSON.stringify({ kind: "Status", status: "Failure", code: 403, reason: "Forbidden", message: "patch was withdrawn" });
  const refused = faulty.proxy.inject(recordOf(definition, "provenAt"), { kind: "answer", status: 403, body }, 2);
  const { code, stdout, stderr } = await runCli(["rewrite", definition.name, "--accept-unseen", "-o", "json"], { KUBECONFIG });
  expect(refused.hits()).toBe(2);
  expect(stderr).toMatch(/"phase":"interrupted".*can't record the proof.*patch was withdrawn/);
  expect(runSchema.parse(JSON.parse(stdout))).toMatchObject({ phase: "succeeded", counts: { rewritten: 5 } });
  expect(code).toBe(0);
});

// Without lastOf (commands/rewrite.ts) it says that only the last five runs are kept.
faultTest("rewrite says that the definition was deleted", async (faulty) => {
  const definition = await faulty.stale(30);
  const KUBECONFIG = await writeContexts(faulty.cluster, { name: "cli", server: faulty.proxy.server });
  const rewriting = runCli(["rewrite", definition.name, "--accept-unseen", "--max-per-second", "2"], { KUBECONFIG });
  await expect.poll(async () => (await faulty.storedAs(definition)).v1, { timeout: 30_000 }).toBeGreaterThan(1);
  const { spec } = await definition.read();
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await faulty.api.delete(`${definitions}/${definition.name}`);
  const ended = await rewriting;
  // So that the end of the test finds it.
  await faulty.api.create(definitions, {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: definition.name }, spec },
  });
  expect(ended).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Failed.*The definition was deleted\./) });
});
