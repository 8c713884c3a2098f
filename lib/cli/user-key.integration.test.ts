import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { buildCli, runCli } from "./testing/run-cli.ts";

const bench = await openTestBench();
beforeAll(buildCli);

/** One more than a prune verifies. */
const OBJECTS = 1_001;
const text = { type: "string" };

const onCluster = (env: Record<string, string> = {}) => {
  const crdshift = (...args: string[]) => runCli(args, { KUBECONFIG: bench.cluster.kubeconfig, ...env });
  return { crdshift, prune: ({ name }: SampleDefinition) => crdshift("prune", name, "--confirm", name) };
};
/** Each command has a key of its own. */
const inPod = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };
const sharedKey = () => ({ CRDSHIFT_SESSION_KEYS: randomBytes(32).toString("base64") });
const storedVersions = async (definition: SampleDefinition) => (await definition.read()).status.storedVersions;

/** Three objects stored as v1beta1, which is not served, so nobody can see what they would lose. */
async function unseenLosses(): Promise<SampleDefinition> {
  const versions = (storage: string, v1beta1: Partial<SampleVersion> = {}): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: { a: text } },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { a: text, b: text }, ...v1beta1 },
  ];
  const definition = await bench.define(versions("v1beta1"));
  await definition.createObjects("v1beta1", 3, () => ({ a: "x", b: "y" }));
  await bench.flip(definition, versions("v1", { served: false }));
  return definition;
}

// Without takeUserKey (run-command.ts) each prune is refused after a rewrite of more than 1,000 objects, and says to rewrite again.
test("one user's prune relies on the proof of that user's rewrite, however many objects there are", async () => {
  const definition = await bench.stale(OBJECTS);
  const { crdshift, prune } = onCluster();
  expect(await crdshift("rewrite", definition.name)).toMatchObject({ code: 0 });
  expect(await prune(definition)).toMatchObject({ code: 0 });
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
  expect(await storedVersions(definition)).toEqual(["v1"]);
});

// Without takeUserKey (run-command.ts) it is refused for ever: the dry run of another command is only a claim, and a new one is, too.
test("one user accepts losses unseen after a dry run by another command of that user", async () => {
  const definition = await unseenLosses();
  const { crdshift, prune } = onCluster();
  expect(await crdshift("dry-run", definition.name)).toMatchObject({ code: 11 });
  const { stdout } = await crdshift("status", definition.name);
  expect(stdout).toContain(`crdshift rewrite ${definition.name} --accept-unseen`);
  expect(await crdshift("rewrite", definition.name, "--accept-unseen")).toMatchObject({ code: 0 });
  expect(await prune(definition)).toMatchObject({ code: 0 });
  expect(await bench.storedAs(definition)).toEqual({ v1: 3 });
});

// Without isHidden (describe-run.ts) status names only --accept-losses, is refused, and names the same again.
test("beside listed losses, status names the word that accepts what an unserved version hides, and that rewrite goes on", async () => {
  const versions = (storage: string, v1alpha1: Partial<SampleVersion> = {}): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: { a: text } },
    { name: "v1alpha1", properties: { a: text, c: text }, ...v1alpha1 },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { a: text, b: text } },
  ];
  const definition = await bench.define(versions("v1beta1"));
  await definition.createObjects("v1beta1", 3, () => ({ a: "x", b: "y" }));
  await bench.flip(definition, versions("v1", { served: false }));
  const { crdshift } = onCluster();
  expect(await crdshift("rewrite", definition.name)).toMatchObject({ code: 11 });
  const { stdout } = await crdshift("status", definition.name);
  const [, options = ""] = /rewrite \S+ (--accept-losses.*)$/m.exec(stdout) ?? [];
  expect(options).toBe("--accept-losses --accept-unseen");
  expect(await crdshift("rewrite", definition.name, ...options.split(" "))).toMatchObject({ code: 0 });
  expect(await bench.storedAs(definition)).toEqual({ v1: 3 });
});

// Without underOneKey (own-key.ts) the refusal names only a rewrite, after which the next prune is refused again; without the
// limit in crdState (crd-state.ts) the status says that a prune verifies the proof, which it refuses.
test("in a pod, a prune of more objects than it verifies says which setting makes two commands trust each other", async () => {
  const definition = await bench.stale(OBJECTS);
  const { crdshift, prune } = onCluster(inPod);
  expect(await crdshift("rewrite", definition.name)).toMatchObject({ code: 0 });
  expect(await prune(definition)).toMatchObject({ code: 8, stderr: expect.stringContaining("set CRDSHIFT_SESSION_KEYS for both") });
  const { stdout } = await crdshift("status", definition.name);
  expect(stdout).toContain("too many for a prune to verify");
  expect(stdout).not.toContain("Next: crdshift prune");
  const withKey = onCluster({ ...inPod, ...sharedKey() });
  expect(await withKey.crdshift("rewrite", definition.name)).toMatchObject({ code: 0 });
  expect(await withKey.prune(definition)).toMatchObject({ code: 0 });
  expect(await storedVersions(definition)).toEqual(["v1"]);
});

// Without underOneKey (accept-losses.ts) the refusal names only a new dry run, whose losses the next command refuses again.
test("in a pod, a dry run of another command says which setting makes two commands trust each other", async () => {
  const definition = await unseenLosses();
  const { crdshift } = onCluster(inPod);
  expect(await crdshift("dry-run", definition.name)).toMatchObject({ code: 11 });
  const refused = await crdshift("rewrite", definition.name, "--accept-unseen");
  expect(refused).toMatchObject({ code: 11, stderr: expect.stringContaining("set CRDSHIFT_SESSION_KEYS for both") });
  const withKey = onCluster({ ...inPod, ...sharedKey() });
  expect(await withKey.crdshift("dry-run", definition.name)).toMatchObject({ code: 11 });
  expect(await withKey.crdshift("rewrite", definition.name, "--accept-unseen")).toMatchObject({ code: 0 });
  expect(await bench.storedAs(definition)).toEqual({ v1: 3 });
});

// Without onWait (prune.ts) each prune is refused, and says to prune again in a few seconds: its process sees the spec for the first time.
test("in a pod, a prune waits until it can verify what another command proved, and says so", async () => {
  const definition = await bench.stale(3);
  const { crdshift, prune } = onCluster({ ...inPod, CRDSHIFT_SETTLE_SECONDS: "3" });
  expect(await crdshift("rewrite", definition.name)).toMatchObject({ code: 0 });
  expect(await prune(definition)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Before it is verified, prune waits for \d s\. crdshift first saw/),
  });
  expect(await storedVersions(definition)).toEqual(["v1"]);
});
