import { afterEach, expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { dryRunsWithFindings, findDryRun, listDryRuns, rememberDryRun, stopAllDryRuns } from "./dry-runs.ts";
import { startDryRun } from "./start-dry-run.ts";

const soon = () => AbortSignal.timeout(30_000);
const started: { connection: Connection; crd: string; id: string }[] = [];

/**
 * A connection of this user to a cluster that has any definition. It doesn't answer what a dry run asks, or says that it can't, for which
 * the dry run waits.
 */
function connectionOf(user: string | null, { audience = `${user}`, isBroken = false } = {}): Promise<Connection> {
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
    } else if (isBroken && !name) response.writeHead(503).end("no backend");
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
  const [one, other] = [await connectionOf("alice", { audience: "one token" }), await connectionOf("alice", { audience: "another token" })];
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

// With the token alone, a person with sixteen of them whose reviews are throttled has all places.
test("of one person whose reviews fail, all tokens count together", async () => {
  const token = async (index: number) => ({ ...(await connectionOf(null, { audience: `token ${index}` })), person: () => "user alice" });
  for (let index = 0; index < 4; index += 1) await start(await token(index));
  await expect(start(await token(4))).rejects.toMatchObject({ message: "4 of your dry runs are running, which is the limit." });
});

test("of those whom the cluster doesn't name, each token counts for itself", async () => {
  const [one, other] = [await connectionOf(null, { audience: "one" }), await connectionOf(null, { audience: "other" })];
  for (let count = 0; count < 4; count += 1) await start(one);
  await expect(start(one)).rejects.toMatchObject({ code: "too_many_requests" });
  await start(other);
});

/** Starts one dry run each of so many people, to whom the cluster doesn't answer. */
async function startOfOthers(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await start(await connectionOf(`other ${index}`));
}

/** The phases and messages of all dry runs that were started, oldest first. */
function shown(): { user: string; phase: string; message: string | null }[] {
  return started.map(({ connection, crd, id }) => {
    const { startedBy, phase, message } = findDryRun(connection.audience, crd, id).current;
    return { user: startedBy, phase, message };
  });
}

test("sixteen dry runs are at work at most, those of runs not counted", async () => {
  const alice = await connectionOf("alice");
  await start(alice);
  const [ofAlice] = dryRunsWithFindings(alice.audience, "things.example.com");
  if (!ofAlice) throw new Error("no dry run");
  const ofRuns = Array.from({ length: 20 }, (_, index) =>
    rememberDryRun({ audience: alice.audience, owner: "runs", waitsFor: () => "an outage" }, { ...ofAlice, id: `of run ${index}` }),
  );
  await startOfOthers(15);
  await expect(start(await connectionOf("bob"))).rejects.toMatchObject({
    code: "too_many_requests",
    message: "16 dry runs are running in this crdshift, which is the limit.",
  });
  for (const known of ofRuns) known.current = { ...known.current, phase: "cancelled" };
});

// Without beginInRoom (dry-runs.ts), four people with four each keep everyone else from theirs for as long as they like.
test("whoever has the most dry runs makes room for somebody who has fewer", async () => {
  for (const user of ["alice", "bob", "carol", "dave"]) {
    const connection = await connectionOf(user);
    for (let count = 0; count < 4; count += 1) await start(connection);
  }
  const erin = await connectionOf("erin");
  for (let count = 0; count < 3; count += 1) await start(erin);
  await expect(start(erin)).rejects.toMatchObject({ message: "16 dry runs are running in this crdshift, which is the limit." });
  const now = shown();
  const ended = now.filter(({ phase }) => phase !== "running");
  expect(now.length - ended.length).toBe(16);
  // The newest of theirs.
  expect(ended).toEqual([now[7], now[11], now[15]]);
  const because =
    "At most 16 dry runs can run in this crdshift. This one was ended to make room for somebody who has fewer. " +
    "Repeat it once fewer of yours are running.";
  expect(ended).toEqual(["bob", "carol", "dave"].map((user) => ({ user, phase: "failed", message: because })));
});

// Without it, a dry run that waits for a broken webhook keeps its place for ten minutes.
test("a dry run that waits makes room for anyone who has none", async () => {
  const waiting = await connectionOf("mallory", { isBroken: true });
  const id = await start(waiting);
  const { waitsFor } = findDryRun(waiting.audience, "things.example.com", id);
  await expect.poll(waitsFor).not.toBeNull();
  await startOfOthers(15);
  await start(await connectionOf("bob"));
  const [ended, ...others] = shown();
  expect(ended).toMatchObject({
    phase: "failed",
    message: expect.stringMatching(/This one was waiting, and had to make room\. Repeat it once this is over: .*no backend/),
  });
  expect(others.map(({ phase }) => phase)).toEqual(Array(16).fill("running"));
  await expect(start(waiting)).rejects.toMatchObject({ code: "too_many_requests" });
});

test("of two who need room at once, each gets a place of its own", async () => {
  for (const user of ["alice", "bob", "carol", "dave"]) {
    const connection = await connectionOf(user);
    for (let count = 0; count < 4; count += 1) await start(connection);
  }
  const [erin, frank] = [await connectionOf("erin"), await connectionOf("frank")];
  await Promise.all([start(erin), start(frank)]);
  const running = shown().filter(({ phase }) => phase === "running");
  expect(running).toHaveLength(16);
  expect(running.slice(-2).map(({ user }) => user)).toEqual(expect.arrayContaining(["erin", "frank"]));
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

// Of 48 MB, a list of fifty held up everyone whenever somebody asked for it, and ten people's fifty took half a gigabyte.
test("of one person, eight megabytes of findings are kept, and a list leaves them out", async () => {
  const zoe = await connectionOf("zoe");
  const example = { namespace: "default", name: "one", version: "v1", before: "x".repeat(1_000), after: null };
  const losses = Array.from({ length: 1_000 }, () => ({ kind: "dropped" as const, path: "spec.x", objects: 1, examples: [example] }));
  const ids: string[] = [];
  for (let count = 0; count < 10; count += 1) {
    const { id } = await startDryRun(zoe, "things.example.com", { signal: soon() });
    const known = findDryRun(zoe.audience, "things.example.com", id);
    known.stop.abort(new Error("cancelled"));
    await known.ended;
    known.current = { ...known.current, losses };
    ids.unshift(id);
  }
  const listed = listDryRuns(zoe.audience, "things.example.com");
  expect(listed.map(({ id }) => id)).toEqual(ids.slice(0, 8));
  expect(JSON.stringify(listed).length).toBeLessThan(10_000);
});

// Without noteEnded (dry-runs.ts), the next start reads the findings of all that have ended since the last one, 64 MiB, in one turn.
test("what a dry run has found is measured when it ends, and not as the next one begins", async () => {
  const yann = await connectionOf("yann");
  const { id } = await startDryRun(yann, "things.example.com", { signal: soon() });
  const known = findDryRun(yann.audience, "things.example.com", id);
  known.stop.abort(new Error("cancelled"));
  await known.ended;
  const toJSON = vi.fn(() => "");
  Object.assign(known.current, { toJSON });
  await start(yann);
  expect(toJSON).not.toHaveBeenCalled();
});
