import { expect, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { changeRewrite } from "#lib/rewrite/commands/change-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { mayRewrite } from "#lib/rewrite/testing/bench/may-rewrite.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const bench = await openTestBench();
const { cluster, api } = bench;

const connectAs = (token: string): Promise<Connection> => connect(cluster.context, { kind: "bearer", token });

test("a run with its own token is interrupted as soon as the cluster rejects the token, sends nothing more, and can be resumed with another", async () => {
  const definition = await bench.stale(400);
  const owner = await restrictedUser(api, mayRewrite(definition));
  const own = benchOn(cluster, api, await connectAs(owner.token));
  const { id } = await own.start(definition, { acceptUnseen: true, maxPerSecond: 10 });
  await expect.poll(async () => (await bench.patchesOf(definition)) > 0, { timeout: 20_000 }).toBe(true);
  await owner.revoke();
  // What was accepted before may still be under way.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const sent = await bench.patchesOf(definition);
  await expect.poll(async () => (await bench.run(definition, id)).phase, { timeout: 70_000, interval: 500 }).toBe("interrupted");
  expect(await bench.patchesOf(definition)).toBe(sent);

  const renewed = await connectAs(await owner.renew());
  const resumed = benchOn(cluster, api, renewed);
  const options = { settleSeconds: 0, signal: soon() };
  await expect
    .poll(
      () =>
        resumed.run(definition, id).then(
          ({ phase }) => phase,
          () => null,
        ),
      { timeout: 20_000 },
    )
    .toBe("interrupted");
  await resumeRewrite(renewed, definition.name, id, options);
  await changeRewrite(renewed, definition.name, id, { maxPerSecond: null, signal: soon() });
  expect(await resumed.endOf(definition, id)).toMatchObject({ phase: "succeeded" });
  expect(await bench.storedAs(definition)).toEqual({ v1: 400 });
});
