import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { changeRewrite } from "#lib/rewrite/commands/change-rewrite.ts";
import { mayRewrite } from "#lib/rewrite/testing/bench/may-rewrite.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const { cluster, api, stale, storedAs } = await openTestBench();

const OBJECTS = 300;
const CONTEXT = "replaced token";

async function connected(): Promise<Connection> {
  const connection = await connect(CONTEXT);
  onTestFinished(() => fleetOf(connection).stop());
  return connection;
}

// Without takeReplaced (open-connection.ts) the run asks with its first token until it is interrupted.
test("a run goes on with the token that replaced its own in the kubeconfig, and whoever looks with that one can change it", async () => {
  const definition = await stale(OBJECTS);
  const user = await restrictedUser(api, mayRewrite(definition));
  await chooseContexts(cluster, { name: CONTEXT, token: user.token });
  const first = benchOn(cluster, api, await connected());
  const { id } = await first.start(definition, { acceptUnseen: true, maxPerSecond: 10 });
  await first.rewritten(definition, id, 1);
  await user.revoke();
  await expect.poll(async () => (await first.run(definition, id)).statusReason ?? "").toContain("sign in again");

  await chooseContexts(cluster, { name: CONTEXT, token: await user.renew() });
  const second = benchOn(cluster, api, await connected());
  expect(second.connection).not.toBe(first.connection);
  await expect.poll(async () => (await first.run(definition, id)).statusReason, { timeout: 60_000 }).toBeNull();
  await changeRewrite(second.connection, definition.name, id, { maxPerSecond: null, signal: soon() });
  expect(await second.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, rejected: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});
