import { beforeAll, expect, test } from "vitest";
import { buildCli, linesOf, runCli, startCli } from "#lib/cli/testing/run-cli.ts";
import { writeContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { editCheckSchema } from "#lib/contract/definition/edit-check.ts";
import { putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const { api, cluster, define } = await openTestBench();
const onCluster = { KUBECONFIG: cluster.kubeconfig };
const usual = { name: "v1", storage: true };

beforeAll(buildCli);

/** A definition whose rules cost too much, which only etcd takes. */
async function overBudget() {
  const definition = await define([{ ...usual, properties: { names: { type: "array", items: { type: "string" } } } }]);
  const [entry] = await readEtcd(cluster.etcd, `/registry/apiextensions.k8s.io/customresourcedefinitions/${definition.name}`);
  const text = Buffer.from(entry?.value ?? []).toString("utf8");
  const rules = '"x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, x != y || x == y))"}]';
  await putIntoEtcd(cluster.etcd, entry?.key ?? "", text.replace('"type":"array"', `"type":"array",${rules}`));
  return definition;
}

test("one refused definition and the others are told apart, in the table, as json, and by the exit code", async () => {
  const [costly, cheap] = [await overBudget(), await define([usual])];
  const all = await runCli(["check-edits"], onCluster);
  expect(all).toMatchObject({ code: 0, stderr: "" });
  const rows = all.stdout.split("\n");
  expect(rows[0]).toMatch(/^NAME +NEXT EDIT +WHY$/);
  expect(rows[1]).toMatch(new RegExp(`^${costly.name} +refused +v1: Forbidden: estimated rule cost exceeds budget`));
  expect(rows).toContainEqual(expect.stringMatching(new RegExp(`^${cheap.name} +accepted$`)));
  expect(rows.at(-2)).toMatch(/^\d+ definitions: 1 refused, .*\d+ accepted$/);

  const listed = await runCli(["check-edits", "--exit-code", "-o", "json"], onCluster);
  const document: { items: unknown[]; failures: unknown[] } = JSON.parse(listed.stdout);
  const checks = document.items.map((item) => editCheckSchema.parse(item));
  expect(checks.filter(({ result }) => result.verdict === "refused").map(({ crd }) => crd)).toEqual([costly.name]);
  expect([document.failures, listed.code]).toEqual([[], 6]);

  const one = await runCli(["check-edits", cheap.name, "--exit-code"], onCluster);
  expect(one).toMatchObject({ code: 0, stdout: "The API server would accept an edit of the schema.\n" });
  const refused = await runCli(["check-edits", costly.name, "--exit-code", "-o", "json"], onCluster);
  expect(refused.code).toBe(6);
  expect(editCheckSchema.parse(JSON.parse(refused.stdout))).toMatchObject({ crd: costly.name, result: { isBudget: true } });
});

test("permission for one definition is enough to check that one; without any, the error says so", async () => {
  const [mine, other] = [await define([usual]), await define([usual])];
  const crds = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };
  const reading = { ...crds, verbs: ["get", "list"] };
  const { token } = await restrictedUser(api, [reading, { ...crds, verbs: ["patch"], resourceNames: [mine.name] }]);
  const KUBECONFIG = await writeContexts(cluster, { name: "restricted", token });
  const all = await runCli(["check-edits"], { KUBECONFIG });
  expect(all.code).toBe(4);
  expect(all.stdout).toMatch(new RegExp(`^${other.name} +failed +You can't patch ${other.name}`, "m"));
  expect(all.stdout).toMatch(new RegExp(`^${mine.name} +accepted$`, "m"));

  const reader = await restrictedUser(api, [reading]);
  const none = await runCli(["check-edits"], { KUBECONFIG: await writeContexts(cluster, { name: "reader", token: reader.token }) });
  expect(none).toMatchObject({
    code: 4,
    stdout: "",
    stderr: expect.stringMatching(/^Error: You can't patch .*\n.*kubectl auth can-i patch/s),
  });
});

const isTrial: Match = ({ method, path }) => method === "PATCH" && path.includes("dryRun=All");

// With the version read in checkEdit (check-edit.ts) each definition costs a request more.
test("the API server's version is read once for all definitions", async () => {
  for (let made = 0; made < 2; made += 1) await define([usual]);
  const proxy = await faultProxy(cluster);
  const KUBECONFIG = await writeContexts(cluster, { name: "cli", server: proxy.server });
  expect(await runCli(["check-edits"], { KUBECONFIG })).toMatchObject({ code: 0 });
  expect(proxy.seen.filter(isTrial).length).toBeGreaterThan(1);
  expect(proxy.seen.filter(({ path }) => path === "/version")).toHaveLength(1);
});

// Tried again, because a second is short where other tests have the cores.
test("at most four definitions are tried at once, and Ctrl-C stops within a second", { retry: 2 }, async () => {
  for (let made = 0; made < 6; made += 1) await define([usual]);
  const proxy = await faultProxy(cluster);
  const held = proxy.hold(isTrial, "before", 100);
  const cli = startCli(["check-edits"], { KUBECONFIG: await writeContexts(cluster, { name: "cli", server: proxy.server }) });
  await held.reached;
  await expect.poll(() => proxy.seen.filter(isTrial).length).toBe(4);
  const pressedAt = performance.now();
  cli.signal("SIGINT");
  expect(await cli.exited).toBe(130);
  expect(performance.now() - pressedAt).toBeLessThan(1_000);
  expect(proxy.seen.filter(isTrial)).toHaveLength(4);
  expect(cli.stdout()).toBe("");
  expect(linesOf(cli.stderr())).toEqual([{ event: "notice", data: { message: "Stopped." } }]);
});
