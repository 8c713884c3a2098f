import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import { sampleCrd, sampleProof, sampleRecord, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import type { Fleet } from "./fleet.ts";
import { fleetOf } from "./fleet-of.ts";

const DEFINITIONS = 30;
const all = Array.from({ length: DEFINITIONS }, (_, index) => `w${index}.example.com`);

/** With as many versions as an API server takes. */
const versions = Array.from({ length: 16_000 }, (_, index) => `v${index + 1}`);
const template = JSON.stringify({
  metadata: { name: "NAME", uid: "uid of NAME", generation: 1, resourceVersion: "1" },
  spec: {
    ...{ group: "example.com", scope: "Namespaced", names: { plural: "ws", kind: "W" } },
    versions: versions.map((name, index) => ({ name, served: true, storage: index === 0 })),
  },
  status: { storedVersions: versions, conditions: [{ type: "Established", status: "True" }] },
});

/** Deleted once all are listed. */
const gone = { name: `w${DEFINITIONS - 1}.example.com`, resourceVersion: "101" };

/** A cluster of such definitions. */
async function connectionToAll(): Promise<Connection> {
  const connection = await connectionTo(`fleet-${randomUUID()}`, (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.endsWith("/customresourcedefinitions")) return response.writeHead(404).end("{}");
    if (query.has("watch")) return response.writeHead(200).write(`${JSON.stringify({ type: "DELETED", object: { metadata: gone } })}\n`);
    const index = Number(query.get("continue") ?? 0);
    const metadata = { resourceVersion: "100", ...(index + 1 < DEFINITIONS && { continue: String(index + 1) }) };
    response.end(`{"metadata":${JSON.stringify(metadata)},"items":[${template.replaceAll("NAME", all[index] ?? "")}]}`);
  });
  onTestFinished(() => fleetOf(connection).stop());
  return connection;
}

/** A fleet of them that has one viewer. */
async function viewedFleet(): Promise<{ fleet: Fleet; told: ServerEvent[] }> {
  const fleet = fleetOf(await connectionToAll());
  const told: ServerEvent[] = [];
  fleet.subscribe((event) => void told.push(event));
  return { fleet, told };
}

// Summarized in the turn in which the list ended, they took a second.
test("a list of definitions with thousands of versions holds nobody up: each is announced in its turn, and none once it is gone", async () => {
  const { longest, result } = await whileWatched(async () => {
    const { fleet, told } = await viewedFleet();
    // Work that must stop when a definition changes doesn't wait for its turn.
    const followed: string[] = [];
    for (const name of all) fleet.follow(name, (now) => void followed.push(now ? name : `${name} is gone`));
    await fleet.listed(AbortSignal.timeout(60_000));
    expect(followed.slice(0, DEFINITIONS)).toEqual(all);
    const lastOf = () => new Map(told.flatMap(({ event, data }) => (event === "crd" ? [[data.item.name, data.type]] : [])));
    await expect.poll(() => [lastOf().size, lastOf().get(gone.name)]).toEqual([DEFINITIONS, "deleted"]);
    await setTimeout(200);
    return lastOf();
  });
  expect(result).toEqual(new Map(all.map((name) => [name, name === gone.name ? "deleted" : "upserted"])));
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Without inShortTurn (read-detail.ts), those who wait for the same list are answered in the turn in which it ends.
test("twenty people who open such definitions hold nobody up", async () => {
  const connection = await connectionToAll();
  const soon = AbortSignal.timeout(60_000);
  await fleetOf(connection).listed(soon);
  const { longest, result } = await whileWatched(() => Promise.all(all.slice(0, 20).map((name) => readDetail(connection, name, soon))));
  expect(result.map(({ name }) => name)).toEqual(all.slice(0, 20));
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Taken in one turn, with each part of the evidence verified anew (hasOurSignature in evidence-signature.ts), it is one of 0.8 s.
test("a list of definitions whose evidence is signed holds nobody up", async () => {
  process.env.CRDSHIFT_SESSION_KEYS = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64")).join();
  onTestFinished(() => void delete process.env.CRDSHIFT_SESSION_KEYS);
  const count = 8_000;
  const crd = sampleCrd();
  const signature = Buffer.alloc(32).toString("base64");
  const record = sampleRecord({ proof: { ...sampleProof(crd), signature }, settlePoint: { ...sampleSettlePoint(crd), signature } });
  const item = JSON.stringify({
    metadata: {
      ...{ name: "NAME", uid: "uid of NAME", generation: 1, resourceVersion: "1" },
      annotations: { "crdshift.dev/rewrite": JSON.stringify({ ...record, uid: "uid of NAME" }) },
      managedFields: [{ manager: "crdshift", fieldsV1: { "f:metadata": { "f:annotations": { "f:crdshift.dev/rewrite": {} } } } }],
    },
    spec: {
      ...{ group: "example.com", scope: "Namespaced", names: { plural: "ws", kind: "W" } },
      versions: ["v1", "v1beta1"].map((name) => ({ name, served: true, storage: name === "v1" })),
    },
    status: { storedVersions: ["v1"], conditions: [{ type: "Established", status: "True" }] },
  });
  const page = 500;
  const connection = await connectionTo(`signed-${randomUUID()}`, (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.endsWith("/customresourcedefinitions") || query.has("watch")) return response.writeHead(404).end("{}");
    const from = Number(query.get("continue") ?? 0);
    const metadata = { resourceVersion: "100", ...(from + page < count && { continue: String(from + page) }) };
    const items = Array.from({ length: page }, (_, index) => item.replaceAll("NAME", `w${from + index}.example.com`));
    response.end(`{"metadata":${JSON.stringify(metadata)},"items":[${items.join()}]}`);
  });
  const { longest, result } = await whileWatched(async () => {
    const fleet = fleetOf(connection);
    await fleet.listed(AbortSignal.timeout(60_000));
    const crds = fleet.crds();
    fleet.stop();
    return crds;
  });
  expect(result).toHaveLength(count);
  expect(result[0]?.claims).toEqual({ proof: true, settlePoint: true, dryRun: false });
  expect(longest).toBeLessThan(LONGEST_TURN);
});
