import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { historySchema } from "#lib/contract/rewrite/history.ts";
import { createDefinition } from "#lib/local-cluster/sample-definition.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { createEvent } from "./events.ts";
import { readHistory } from "./read-history.ts";

const { cluster, api } = openWorkerCluster();
const soon = () => AbortSignal.timeout(30_000);

/** A definition with an Event of crdshift's, that a run was resumed, and a way to write such ones by hand. */
async function told() {
  const definition = await createDefinition(api, [{ name: "v1", storage: true }]);
  onTestFinished(() => definition.remove());
  await chooseContexts(cluster, { name: definition.name });
  const connection = await connect(definition.name);
  onTestFinished(() => fleetOf(connection).stop());
  const { name } = definition;
  const { uid } = (await definition.read()).metadata;
  const forge = (prefix: string, changes: { eventTime: string; message: string; by: string; annotations?: Record<string, string> }) =>
    api.create("/api/v1/namespaces/default/events", {
      ...{ apiVersion: "v1", kind: "Event", type: "Normal", reason: "RewritePaused", action: "RewritePaused" },
      metadata: { name: `${prefix}.${name}`, namespace: "default", annotations: { ...changes.annotations, "crdshift.dev/by": changes.by } },
      involvedObject: { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name, uid },
      ...{ reportingComponent: "crdshift", reportingInstance: "x", source: { component: "crdshift" } },
      ...{ eventTime: changes.eventTime, message: changes.message },
    });
  const resumed = {
    kind: "resumed",
    at: new Date().toISOString(),
    by: "alice",
    run: "run-1",
    message: "The rewrite was resumed.",
  } as const;
  await createEvent(connection, { name, uid }, resumed, { signal: soon(), timeoutMs: 10_000 });
  const history = async (bounds?: { events: number; told: number; withinMs: number }) =>
    historySchema.parse(await readHistory(connection, name, soon(), { ...(bounds && { bounds }) }));
  return { forge, history };
}

test("an Event with an impossible time hides no other, and is listed at its creation time, without text that changes direction", async () => {
  const { forge, history } = await told();
  const begun = Date.now();
  await forge("a", { eventTime: "9999-12-31T23:59:59.000000-23:00", message: "\u202eevil", by: "\u2066mallory" });
  const { items, events } = await history();
  expect(events).toMatchObject({ state: "read", count: 2, complete: true });
  expect(items.find(({ kind }) => kind === "resumed")).toMatchObject({ by: { user: "alice", from: "event" }, run: "run-1" });
  const paused = items.find(({ kind }) => kind === "paused");
  expect(paused).toMatchObject({ message: "\uFFFDevil", by: { user: "\uFFFDmallory", from: "event" } });
  expect(Math.abs(Date.parse(paused?.at ?? "") - begun)).toBeLessThan(60_000);
});

// Events come by name: with a thousand read at most, none of crdshift's own was among them.
test("a thousand Events by others crowd out none of crdshift's, and the answer says what was not read or is left out", async () => {
  const { forge, history } = await told();
  const eventTime = new Date(Date.now() - 60_000).toISOString().replace("Z", "000Z");
  const numbers = Array.from({ length: 1_001 }, (_, index) => index);
  await Promise.all(numbers.map((index) => forge(`a.${index}`, { eventTime, message: "noise", by: "mallory" })));

  const whole = await history();
  expect(whole.events).toMatchObject({ state: "read", count: 1_002, complete: true });
  expect(whole.items[0]).toMatchObject({ kind: "resumed" });
  expect([whole.items.length, whole.more]).toEqual([500, 502]);

  const bounded = await history({ events: 120, told: 50, withinMs: 10_000 });
  expect(bounded.events).toMatchObject({ state: "read", count: 120, complete: false });
  expect([bounded.items.length, bounded.more]).toEqual([50, 70]);
});

// Without the bound of a page (events.ts), 32 MiB of annotations came at once, and nobody else got an answer for seconds.
test("Events with 14,000 annotations each hold nobody up, and hide none of crdshift's", async () => {
  const { forge, history } = await told();
  const annotations = Object.fromEntries(Array.from({ length: 14_000 }, (_, index) => [`k${index.toString(36)}a`, ""]));
  const eventTime = new Date(Date.now() - 60_000).toISOString().replace("Z", "000Z");
  for (let index = 0; index < 60; index += 1) await forge(`a.${index}`, { eventTime, message: "noise", by: "mallory", annotations });
  const { longest, result } = await whileWatched(() => history({ events: 5_000, told: 500, withinMs: 30_000 }));
  expect(result.events).toMatchObject({ state: "read", count: 61, complete: true });
  expect(result.items).toContainEqual(expect.objectContaining({ kind: "resumed" }));
  expect(longest).toBeLessThan(LONGEST_TURN);
});
