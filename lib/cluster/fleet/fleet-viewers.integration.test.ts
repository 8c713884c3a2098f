import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd, writeRecord } from "#lib/cluster/definitions/crds.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy } from "#lib/cluster/testing/fault-proxy.ts";
import { fleetTest, untilFinished } from "#lib/cluster/testing/fleet-test.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import { TAKE_OVER_AFTER_MS } from "#lib/domain/rewrite/run.ts";
import { sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { createDefinition } from "#lib/local-cluster/sample-definition.ts";
import { fleetOf } from "./fleet-of.ts";

const { cluster, api } = openWorkerCluster();
const { directly, throughProxy, definitionWithObjects } = fleetTest(cluster, api);
const soon = () => AbortSignal.timeout(30_000);
const patient = { timeout: 40_000, interval: 50 };

describe("those who look at the fleet", () => {
  async function subscribed(connection: Connection) {
    const fleet = fleetOf(connection);
    await fleet.listed(soon());
    const events: ServerEvent[] = [];
    onTestFinished(fleet.subscribe((event) => void events.push(event)));
    const last = (name: string) => events.findLast((event) => event.event === "crd" && event.data.item.name === name)?.data;
    return { fleet, events, last };
  }

  test("are told of definitions that come, change and go", async () => {
    const { last } = await subscribed(await directly());
    const definition = await createDefinition(api, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
    await expect.poll(() => last(definition.name), patient).toMatchObject({ type: "upserted", item: { state: "current" } });
    await definition.setVersions([{ name: "v1" }, { name: "v1beta1", storage: true }]);
    await expect.poll(() => last(definition.name), patient).toMatchObject({ item: { state: "needs-rewrite", leftoverVersions: ["v1"] } });
    await definition.remove();
    await expect.poll(() => last(definition.name), patient).toEqual({ type: "deleted", item: { name: definition.name } });
  });

  test("get the number of objects of a definition with its basis, and its time", async () => {
    const definition = await definitionWithObjects(3);
    // A fleet that begins now: one that has counted already counts again only after a minute.
    const { fleet } = await subscribed((await throughProxy()).connection);
    await expect
      .poll(() => fleet.total(definition.name), patient)
      .toMatchObject({ total: 3, basis: "list", asOf: expect.stringMatching(/^\d{4}-/) });
  });

  // Without the look at the uid (keep-totals.ts) the old number stays for a minute.
  test("don't get the number of objects of a definition that was deleted and created again while it was counted", async () => {
    const old = await createDefinition(api, [{ name: "v1", storage: true }]);
    await old.createObjects("v1", 3);
    const proxy = await faultProxy(cluster);
    const counting = proxy.hold(({ path }) => path.startsWith(`${old.path("v1")}?`), "after");
    await chooseContexts(cluster, { name: "counting", server: proxy.server });
    const { fleet } = await subscribed(untilFinished(await connect("counting")));
    await counting.reached;
    await old.remove();
    await expect.poll(() => fleet.crd(old.name), patient).toBeNull();
    const anew = await createDefinition(api, [{ name: "v1", storage: true }], { group: old.group });
    onTestFinished(() => anew.remove());
    await expect.poll(() => fleet.crd(anew.name), patient).not.toBeNull();
    counting.release();
    await expect.poll(() => fleet.total(anew.name), patient).toMatchObject({ total: 0, basis: "list" });
  });

  test("get denied, not zero, for objects that they may not list", async () => {
    const definition = await definitionWithObjects(3);
    const reader = await restrictedUser(api, [
      { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] },
    ]);
    await chooseContexts(cluster, { name: "reader", token: reader.token });
    const { fleet } = await subscribed(untilFinished(await connect("reader")));
    await expect
      .poll(() => fleet.total(definition.name), patient)
      .toMatchObject({ total: null, basis: "denied", message: expect.stringContaining("cannot list") });
  });

  // Without the announcement of a run that is no longer live (start-fleet.ts) it stays rewriting. The run had changed objects and proved nothing.
  test("are told when a run's holder falls silent, though nothing is written then", async () => {
    const connection = await directly();
    const definition = await definitionWithObjects(0);
    const { last } = await subscribed(connection);
    const run = sampleRun({ crd: definition.name, renewedAt: new Date().toISOString() });
    const { crd } = await readCrd(connection, definition.name, soon());
    await writeRecord(connection, crd, sampleRecord({ holder: "a process that was killed", runs: [run] }), soon());
    await expect.poll(() => last(definition.name), patient).toMatchObject({ item: { state: "rewriting" } });
    // The fleet looks for live runs every second; timers of one process fire in their order, however busy it is.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.parse(run.renewedAt) + TAKE_OVER_AFTER_MS + 1_000);
    onTestFinished(() => clock.mockRestore());
    await expect.poll(() => last(definition.name), patient).toMatchObject({ item: { state: "blocked", activeRun: null } });
  });
});
