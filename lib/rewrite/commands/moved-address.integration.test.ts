import { expect, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { mayRewrite } from "#lib/rewrite/testing/bench/may-rewrite.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { cancelRewrite } from "./cancel-rewrite.ts";
import { controlHere } from "./control-here.ts";

const bench = await openTestBench();
const { cluster, api } = bench;

// With the address alone (require-run-access.ts), whoever started it is told that there is no such run, and nobody can stop it. Without
// isElsewhere (cancel-rewrite.ts) it ends, and they are told that crdshift can't record that.
test("a run goes on under its owner's control when its context is given another address of the cluster", async () => {
  const definition = await bench.stale(60);
  const [owner, other] = [await restrictedUser(api, mayRewrite(definition)), await restrictedUser(api, mayRewrite(definition))];
  const connectAs = ({ token }: typeof owner) => connect(cluster.context, { kind: "bearer", token });
  await chooseContexts(cluster, { name: cluster.context, server: (await faultProxy(cluster)).server });
  const { id } = await benchOn(cluster, api, await connectAs(owner)).start(definition, { maxPerSecond: 1 });

  await chooseContexts(cluster, { name: cluster.context, server: (await faultProxy(cluster)).server });
  const [own, others] = [await connectAs(owner), await connectAs(other)];
  await expect(cancelRewrite(others, definition.name, id, soon())).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("while the context led to another address"),
  });
  const { pacer } = await controlHere(own, definition.name, id, soon());
  pacer.pause();
  expect(pacer.paused()).not.toBe("no");
  expect(await cancelRewrite(own, definition.name, id, soon())).toMatchObject({ phase: "cancelled", statusReason: "Cancelled." });
});
