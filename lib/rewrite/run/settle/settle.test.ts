import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noteDisproved } from "#lib/cluster/definitions/evidence/disproved-at.ts";
import { noteRead, noteSeen } from "#lib/cluster/definitions/evidence/first-seen.ts";
import { noteRestore } from "#lib/cluster/definitions/evidence/note-restore.ts";
import { statusError } from "#lib/cluster/transport/errors.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { settle, storageVersionHash } from "./settle.ts";
import { hasSettled } from "./settle-wait.ts";

const crd = sampleCrd();
/** The API server, which answers with an error while there is one. */
const server = vi.hoisted(() => ({
  error: null as Error | null,
  /** Happens while the definition is read. */
  meanwhile: () => {},
  leases: new Map<string, string>(),
  /** When an APIService last changed; null while one is missing. */
  apiServiceAt: 0 as number | null,
  /** The resourceVersion of a list. */
  listedAt: "1234",
}));
const answer = vi.hoisted(() => async <Value>(value: () => Value) => {
  if (server.error) throw server.error;
  return value();
});

vi.mock("#lib/cluster/definitions/crds.ts", () => ({
  async readCrd() {
    const read = await answer(() => ({ crd, serverTime: Date.now() }));
    server.meanwhile();
    return read;
  },
}));
vi.mock("#lib/cluster/transport/discovery.ts", () => ({
  readIdentityLeases: () => answer(() => new Map(server.leases)),
  readStorageVersionHash: () => answer(() => storageVersionHash(crd.group, "v1", crd.kind)),
}));
vi.mock("#lib/cluster/definitions/answering-server.ts", () => ({
  answeringServer: () =>
    answer(() => ({
      kind: "definition",
      apiServices: server.apiServiceAt === null ? "missing" : { changedAt: server.apiServiceAt, ageMs: Date.now() - server.apiServiceAt },
    })),
}));
vi.mock("#lib/cluster/objects/object-pages.ts", () => ({ listObjects: () => answer(() => ({ resourceVersion: server.listedAt })) }));
// The timers of node:timers/promises can't be faked.
vi.mock("#lib/async/sleep.ts", () => ({
  jitteredBackoffMs: () => 1_000,
  sleep: (ms: number) => new Promise((resolve) => void setTimeout(resolve, Math.min(ms, 2 ** 31 - 1))),
}));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  Object.assign(server, { error: null, meanwhile: () => {}, leases: new Map(), apiServiceAt: 0, listedAt: "1234" });
});
afterEach(() => void vi.useRealTimers());

const identity = { uid: crd.uid, generation: crd.generation, storageVersion: "v1" };
// In other tests the same definition was seen earlier.
const newCluster = () => ({ server: `https://${crypto.randomUUID()}` }) as Partial<Connection> as Connection;

/** Settles a spec that changes now. Its end is null until it has settled or given up. */
function settling(settleSeconds: number, connection = newCluster()) {
  const state = { end: null as unknown, endedAt: 0, because: "" };
  const startedAt = performance.now();
  settle({
    ...{ connection, crdName: crd.name, settleSeconds, gate: createGate(), signal: new AbortController().signal },
    identity,
    onWait(because) {
      state.because = because;
    },
  })
    .catch((error: unknown) => error)
    .then((end) => Object.assign(state, { end, endedAt: performance.now() - startedAt }));
  return state;
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

// Without OLDER_LIST (settle.ts), what was stored at the older version since that list counts as current.
test("a list that is older than the definition is no settle point", async () => {
  server.listedAt = "999";
  const state = settling(0);
  await seconds(5);
  expect(state).toMatchObject({ end: null, because: expect.stringContaining("answers from a cache") });
  server.listedAt = "1000";
  await seconds(2);
  expect(state.end).toMatchObject({ resourceVersion: "1000" });
});

test("the hash of a storage version is the one that API servers advertise, such as for Deployments in any cluster's discovery", () => {
  expect(storageVersionHash("apps", "v1", "Deployment")).toBe("8aSe+NMegvE=");
});

// With the time kept by the run that found it, whoever cancels that one and starts another waits for nothing.
test("the wait begins again once an object above a settle point was changed, also for the next run", async () => {
  const connection = newCluster();
  const first = settling(65, connection);
  await seconds(70);
  expect(first.end).toMatchObject({ resourceVersion: "1234" });
  noteDisproved(connection, crd.uid);
  const next = settling(65, connection);
  await seconds(60);
  expect(next).toMatchObject({ end: null, because: expect.stringContaining("An object above the settle point was just found") });
  await seconds(10);
  expect(next.end).toMatchObject({ resourceVersion: "1234" });
});

// Without noteRead (settle.ts, settle-wait.ts) the flip counts as an hour old, and requests from before it may still be stored at v1beta1.
test("a flip at an earlier generation than this process has seen is waited for in full: etcd was restored, and nobody noticed", async () => {
  const connection = newCluster();
  noteSeen(connection, { ...crd, generation: crd.generation + 1 });
  await seconds(3_600);
  vi.setSystemTime(Date.parse(crd.specChangedAt ?? "") + 900_000);
  expect(await hasSettled(connection, crd.name, identity, new AbortController().signal)).toBe(false);
  noteSeen(connection, { ...crd, generation: crd.generation + 1 });
  const wait = settling(65, connection);
  await seconds(60);
  expect(wait.end).toBeNull();
  await seconds(10);
  expect(wait.end).toMatchObject({ resourceVersion: "1234" });
  expect(await hasSettled(connection, crd.name, identity, new AbortController().signal)).toBe(true);
});

// Without restoredSince (settle.ts, settle-wait.ts), the generation that begins again after the restore counts as seen before it began.
test.each([
  ["a run", (connection: Connection) => void settling(65, connection)],
  ["a dry run", (connection: Connection) => void hasSettled(connection, crd.name, identity, new AbortController().signal)],
])("a definition that %s has read while a restore was noticed isn't noted as seen since", async (_, read) => {
  const connection = newCluster();
  server.meanwhile = () => {
    server.meanwhile = () => {
      throw statusError(503, {}, "away", { path: "/apis" });
    };
    noteRestore(connection, [crd.uid], { to: "900", from: "1400" });
    noteSeen(connection, { ...crd, generation: crd.generation - 1 });
  };
  read(connection);
  await seconds(1);
  const specChangedAt = new Date().toISOString();
  expect(noteRead(connection, { ...crd, specChangedAt })).toMatchObject({ at: performance.now(), specChangedAt, sawChange: true });
});

// An API server may go on sending requests to the other server for a while, which would give the settle point.
test("the wait covers the last change of an APIService, too, and ends in time for one that stays missing", async () => {
  const changed = settling(65);
  await seconds(40);
  server.apiServiceAt = Date.now();
  await seconds(60);
  expect(changed).toMatchObject({ end: null, because: expect.stringContaining("An APIService of the definition changed") });
  await seconds(10);
  expect(changed.end).toMatchObject({ resourceVersion: "1234" });
  server.apiServiceAt = null;
  const missing = settling(65);
  await seconds(70);
  expect(missing.end).toMatchObject({ resourceVersion: "1234" });
});

describe("for a process that has just begun, the wait", () => {
  const aMinuteOn = async (changedAgoSeconds: number) => {
    vi.setSystemTime(Date.parse(crd.specChangedAt ?? "") + changedAgoSeconds * 1_000);
    const connection = newCluster();
    const ask = () => hasSettled(connection, crd.name, identity, new AbortController().signal);
    const first = await ask();
    await seconds(66);
    return [first, await ask()];
  };

  test("is over if by the server's clock the spec is old", async () => {
    expect(await aMinuteOn(900)).toEqual([true, true]);
  });

  // With the date believed, it is never over; with nothing else asked, it is over at once.
  test("counts by its own clock if the change is dated far in the future", async () => {
    expect(await aMinuteOn(-86_400)).toEqual([false, true]);
  });
});

// Without progressed() (settle.ts) the second outage ends it: ten minutes have passed since the first one began.
test("two short outages of the API server, more than ten minutes apart, don't end a long wait", async () => {
  const wait = settling(700);
  const outage = async () => {
    server.error = statusError(503, {}, "away", { path: "/apis" });
    await seconds(5);
    server.error = null;
  };
  await seconds(10);
  await outage();
  await seconds(620);
  expect(wait.because).toContain("700 s");
  await outage();
  await seconds(100);
  expect(wait.end).toMatchObject({ resourceVersion: "1234", settleSeconds: 700 });
});

describe("an API server that renewed its identity Lease late", () => {
  const renewed = (second: number) => new Date(second * 1_000).toISOString();
  /** Both renew their Leases on time for this many seconds. */
  const bothRenew = async (from: number, until: number) => {
    for (let second = from; second < until; second += 10) {
      server.leases = new Map([
        ["one", renewed(second)],
        ["other", renewed(second)],
      ]);
      await seconds(10);
    }
  };

  // Where a single Lease ends the wait (look of settle.ts) it settles after 65 s.
  test("makes the wait start again, even if its Lease is deleted then", async () => {
    const wait = settling(65);
    await bothRenew(0, 20);
    for (const second of [20, 30]) {
      server.leases.set("one", renewed(second));
      await seconds(10);
    }
    // 30 s after its last renewal.
    server.leases = new Map([
      ["one", renewed(40)],
      ["other", renewed(40)],
    ]);
    await seconds(2);
    expect(wait.because).toContain("identity Lease renewed late");
    server.leases.delete("other");
    await seconds(60);
    expect([wait.end, wait.because]).toEqual([null, expect.stringContaining("identity Lease renewed late")]);
    await seconds(10);
    expect(wait.end).toMatchObject({ resourceVersion: "1234" });
    expect(wait.endedAt).toBeGreaterThanOrEqual(105_000);
  });

  // A suspended machine's clock stands still: by that alone, its renewal after 30 s is on time, and the wait ends before what it still stores.
  test("by this process's clock makes the wait start again, too", async () => {
    const wait = settling(65);
    await bothRenew(0, 20);
    for (const second of [20, 30, 40]) {
      server.leases.set("one", renewed(second));
      await seconds(10);
    }
    server.leases.set("other", renewed(20));
    await seconds(2);
    expect(wait.because).toContain("identity Lease renewed late");
  });

  test("so does one that was behind the others when the wait began", async () => {
    server.leases = new Map([
      ["one", renewed(100)],
      ["other", renewed(60)],
    ]);
    const wait = settling(65);
    await seconds(5);
    expect(wait.because).not.toContain("late");
    server.leases.set("other", renewed(70));
    await seconds(2);
    expect(wait.because).toContain("identity Lease renewed late");
  });

  // Counted from before the first attempt (askedAt in watch-renewals.ts), it is on time.
  test("also if nobody answered in between", async () => {
    const wait = settling(65);
    await bothRenew(0, 20);
    server.error = statusError(503, {}, "away", { path: "/apis" });
    await seconds(40);
    server.error = null;
    server.leases = new Map([
      ["one", renewed(15)],
      ["other", renewed(20)],
    ]);
    await seconds(5);
    expect(wait.because).toContain("identity Lease renewed late");
  });

  test("is not one whose clock is set back a little", async () => {
    const wait = settling(65);
    await bothRenew(0, 20);
    server.leases.set("other", renewed(5));
    await seconds(5);
    expect(wait.because).not.toContain("late");
  });

  // With one that was never renewed taken for one that has appeared, the wait begins anew each second, and says nothing of it.
  test("is not one whose Lease has no time, which is named instead", async () => {
    const wait = settling(65);
    for (let second = 0; second < 90; second += 10) {
      server.leases = new Map([
        ["one", renewed(second)],
        ["empty", ""],
      ]);
      await seconds(10);
    }
    expect([wait.end, wait.because]).toEqual([null, expect.stringContaining("Waiting for empty to renew its identity Lease")]);
  });
});
