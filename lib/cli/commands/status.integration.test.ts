import { expect, test } from "vitest";
import { exitCodes } from "#lib/cli/exit-codes.ts";
import { commandContext } from "#lib/cli/testing/command-context.ts";
import { connect } from "#lib/cluster/connection/connect.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { fleetTest, untilFinished } from "#lib/cluster/testing/fleet-test.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { status } from "./status.ts";

const { cluster, api } = openWorkerCluster();
const { definitionWithObjects } = fleetTest(cluster, api);

const DEFINITIONS = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };

/** What `status NAME --exit-code` ends with for whoever may do this with definitions. */
async function statusFor(verbs: string[]): Promise<{ code: number; notices: string[] }> {
  const { name, group } = await definitionWithObjects(2);
  const user = await restrictedUser(api, [
    { ...DEFINITIONS, verbs },
    { apiGroups: [group], resources: ["*"], verbs: ["list"] },
  ]);
  await chooseContexts(cluster, { name: "restricted", token: user.token });
  const { context, notices } = commandContext(untilFinished(await connect("restricted")));
  const options = { "exit-code": true };
  const code = await status(
    { command: "status", definition: name, rest: [], output: "table", kubeconfig: null, context: null, options },
    context,
  );
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
