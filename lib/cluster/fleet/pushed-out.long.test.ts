import { expect, test } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { connect } from "#lib/cluster/connection/connect.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { untilFinished } from "#lib/cluster/testing/fleet-test.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { fleetOf } from "./fleet-of.ts";

const { cluster, api } = openWorkerCluster();

const definitions = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] };

/** Longer than a new token keeps its place. */
const STAY_MS = 31_000;

// Without PUSHED_OUT_READ_FOR_MS (start-fleet.ts) each token of one person kept all definitions for ten minutes.
test("a person's ninth token ends the fleet of the first within seconds, though somebody reads it, unless a run uses it", async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => restrictedUser(api, [definitions])));
  await chooseContexts(cluster, { name: "people" });
  const connections = [];
  for (const [index, { token }] of users.entries()) {
    if (index === 8) await sleep(STAY_MS, AbortSignal.timeout(60_000));
    const connection = await connect("people", { kind: "bearer", token });
    connection.keepFor("ada");
    connections.push(untilFinished(connection));
  }
  const [first, second, third] = connections.map(fleetOf);
  await Promise.all([first, second, third].map((fleet) => fleet?.listed(AbortSignal.timeout(30_000))));
  first?.subscribe(() => {});
  second?.noteRun("widgets.example.com", sampleRun());
  await expect.poll(() => first?.hasEnded(), { timeout: 10_000 }).toBe(true);
  expect([second?.hasEnded(), third?.hasEnded()]).toEqual([false, false]);
  second?.noteRun("widgets.example.com", null);
  await expect.poll(() => second?.hasEnded(), { timeout: 10_000 }).toBe(true);
});

// Without pushOutStranger (connection-pool.ts) each token that the cluster never accepts could keep all definitions for ten minutes.
test("a fleet ends within seconds once made-up tokens push its connection out, unless the cluster accepts its token", async () => {
  const [one, other] = await Promise.all([restrictedUser(api, [definitions]), restrictedUser(api, [definitions])]);
  await chooseContexts(cluster, { name: "strangers" });
  const [first, second] = [
    untilFinished(await connect("strangers", { kind: "bearer", token: one.token })),
    untilFinished(await connect("strangers", { kind: "bearer", token: other.token })),
  ];
  const fleets = [first, second].map(fleetOf);
  await Promise.all(fleets.map((fleet) => fleet.listed(AbortSignal.timeout(30_000))));
  for (let index = 0; index < 32; index++) await connect("strangers", { kind: "bearer", token: `made-up-${index}` });
  expect([first.isPushedOut(), second.isPushedOut()]).toEqual([true, true]);
  second.keepFor("ada");
  await expect.poll(() => fleets[0]?.hasEnded(), { timeout: 10_000 }).toBe(true);
  expect(fleets[1]?.hasEnded()).toBe(false);
  expect(await connect("strangers", { kind: "bearer", token: other.token })).toBe(second);
});
