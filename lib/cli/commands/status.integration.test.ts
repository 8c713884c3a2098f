import { expect, test } from "vitest";
import { exitCodes } from "#lib/cli/exit-codes.ts";
import { commandContext } from "#lib/cli/testing/command-context.ts";
import { connect } from "#lib/cluster/connection/connect.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy } from "#lib/cluster/testing/fault-proxy.ts";
import { fleetTest, untilFinished } from "#lib/cluster/testing/fleet-test.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { status } from "./status.ts";

const { cluster, api } = openWorkerCluster();
const { definitionWithObjects } = fleetTest(cluster, api);

const DEFINITIONS = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };

/** What `status --exit-code` ends with in this context, for one definition, or for all without a name. */
async function statusIn(name: string, definition: string): Promise<{ code: number; notices: string[]; results: unknown[] }> {
  const { context, notices, results } = commandContext(untilFinished(await connect(name)));
  const options = { "exit-code": true };
  const code = await status(
    { command: "status", definition, rest: [], output: "table", kubeconfig: null, context: null, options },
    context,
  );
  return { code, notices, results };
}

/** What `status NAME --exit-code` ends with for whoever may do this with definitions. */
async function statusFor(verbs: string[]): Promise<{ code: number; notices: string[] }> {
  const { name, group } = await definitionWithObjects(2);
  const user = await restrictedUser(api, [
    { ...DEFINITIONS, verbs },
    { apiGroups: [group], resources: ["*"], verbs: ["list"] },
  ]);
  await chooseContexts(cluster, { name: "restricted", token: user.token });
  const { code, notices } = await statusIn("restricted", name);
  return { code, notices };
}

// Without tellMissed and exitCodeOf (status.ts) it ends with 0, "current", without a word: nobody has counted an object.
test("whoever may not watch definitions is told so, and what nobody looked at is unknown", { timeout: 40_000 }, async () => {
  expect(await statusFor(["get", "list", "watch"])).toEqual({ code: exitCodes.done, notices: [] });
  const { code, notices } = await statusFor(["get", "list"]);
  expect(code).toBe(exitCodes.unknown);
  expect(notices[0]).toMatch(/^Warning: the definitions may have changed since they were listed\. You don't have permission to watch/);
  expect(notices).toContain("Warning: the objects of 1 definition weren't counted within 5 s.");
});

// Without unreadEngines (status.ts) it ends with 0, "current", without a word, while an engine that nobody could read may rewrite the objects.
test("another engine's migrations that couldn't be read make unknown what seems current", { timeout: 40_000 }, async () => {
  const { name } = await definitionWithObjects(2);
  const proxy = await faultProxy(cluster);
  await chooseContexts(cluster, { name: "faulty", server: proxy.server });
  proxy.inject(({ path }) => path.startsWith("/apis/migration.k8s.io"), { kind: "answer", status: 503, body: "busy" });
  const { code, notices, results } = await statusIn("faulty", name);
  expect(code).toBe(exitCodes.unknown);
  expect(notices).toEqual([expect.stringMatching(/^Warning: the migrations in migration\.k8s\.io weren't read: ./)]);
  expect(results).toMatchObject([
    {
      ...{ state: "current", migrations: [] },
      otherEngines: { openshift: { api: { status: "failed" }, asOf: null }, "in-tree": { asOf: expect.any(String) } },
    },
  ]);
  const all = await statusIn("faulty", "");
  expect(all.notices).toEqual(notices);
  expect(all.results).toMatchObject([{ otherEngines: { openshift: { api: { status: "failed" }, asOf: null } } }]);
});
