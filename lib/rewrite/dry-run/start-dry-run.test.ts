import { afterEach, expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { findDryRun, listDryRuns, rememberDryRun, stopAllDryRuns } from "./dry-runs.ts";
import { startDryRun } from "./start-dry-run.ts";

const soon = () => AbortSignal.timeout(30_000);
const started: { connection: Connection; crd: string; id: string }[] = [];

/** A connection of this user to a cluster that has any definition, and doesn't answer what a dry run asks. */
function connectionOf(user: string | null, audience = `${user}`): Promise<Connection> {
  return connectionTo(audience, (request, response) => {
    const name = /customresourcedefinitions\/([^/?]+)$/.exec(request.url ?? "")?.[1];
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
    const names = { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" };
    if (name) {
      const metadata = { name, uid: `uid of ${name}`, generation: 1, resourceVersion: "1" };
      const spec = { group: "example.com", scope: "Namespaced", names, versions };
      response.end(JSON.stringify({ metadata, spec, status: { storedVersions: ["v1"] } }));
    }
    if (request.url?.endsWith("selfsubjectreviews")) {
      if (user === null) response.writeHead(403);
      response.end(JSON.stringify(user === null ? {} : { status: { userInfo: { username: user } } }));
    }
  });
}

async function start(connection: Connection, crd = "things.example.com"): Promise<string> {
  const { id } = await startDryRun(connection, crd, { signal: soon() });
  started.push({ connection, crd, id });
  return id;
}

afterEach(async () => {
  stopAllDryRuns();
  for (const { connection, crd, id } of started.splice(0)) await findDryRun(connection.audience, crd, id).ended;
});

test("four dry runs of one person are at work at most, whatever their definitions and tokens", async () => {
  const [one, other] = [await connectionOf("alice", "one token"), await connectionOf("alice", "another token")];
  for (const [index, connection] of [one, other, one, other].entries()) await start(connection, `things${index}.example.com`);
  await expect(start(other, "things9.example.com")).rejects.toMatchObject({
    code: "too_many_requests",
    message: "4 of your dry runs are running, which is the limit.",
    nextStep: expect.stringContaining("Wait"),
  });
  await start(await connectionOf("bob"));
  const [first] = started;
  if (!first) throw new Error("none was started");
  findDryRun(one.audience, first.crd, first.id).stop.abort(new Error("cancelled"));
  await findDryRun(one.audience, first.crd, first.id).ended;
  await start(other, "things9.example.com");
});

test("of those whom the cluster doesn't name, each token counts for itself", async () => {
  const [one, other] = [await connectionOf(null, "one"), await connectionOf(null, "other")];
  for (let count = 0; count < 4; count += 1) await start(one);
  await expect(start(one)).rejects.toMatchObject({ code: "too_many_requests" });
  await start(other);
});

test("sixteen dry runs are at work at most, those of runs not counted", async () => {
  const [alice, ...others] = await Promise.all(["alice", "bob", "carol", "dave", "erin"].map((user) => connectionOf(user)));
  if (!alice) throw new Error("no connection");
  await start(alice);
  const [ofAlice] = listDryRuns(alice.audience, "things.example.com");
  if (!ofAlice) throw new Error("no dry run");
  const ofRuns = Array.from({ length: 20 }, (_, index) =>
    rememberDryRun({ audience: alice.audience, owner: "runs" }, { ...ofAlice, id: `of run ${index}` }),
  );
  for (let count = 0; count < 3; count += 1) await start(alice);
  for (const connection of others.slice(0, 3)) for (let count = 0; count < 4; count += 1) await start(connection);
  await expect(start(others[3] ?? alice)).rejects.toMatchObject({
    code: "too_many_requests",
    message: "16 dry runs are running in this crdshift, which is the limit.",
  });
  for (const known of ofRuns) known.current = { ...known.current, phase: "cancelled" };
});

// Counted by token, ten tokens of one person push out what everyone else has.
test("of one person, fifty that have ended are kept, whatever their tokens", async () => {
  const alice = await connectionOf("alice");
  const ended: { audience: string; id: string }[] = [];
  for (let count = 0; count < 60; count += 1) {
    const connection = { ...alice, audience: `token ${count % 10}` };
    const { id } = await startDryRun(connection, "things.example.com", { signal: soon() });
    const known = findDryRun(connection.audience, "things.example.com", id);
    known.stop.abort(new Error("cancelled"));
    await known.ended;
    ended.push({ audience: connection.audience, id });
  }
  const kept = ended.filter(({ audience, id }) => listDryRuns(audience, "things.example.com").some((one) => one.id === id));
  expect(kept).toEqual(ended.slice(-50));
});
