import { expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { isUndone, noteSigned, noticedRestore, restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd, sampleProof } from "#lib/domain/testing/sample-crd.ts";
import { knownCrds } from "./known-crds.ts";
import { lastKnown } from "./known-states.ts";
import { noticeRestores } from "./notice-restores.ts";

const clusterOf = (name: string) => connectionTo(name, (_, response) => response.end("{}"));

/** As a fleet of the cluster takes its lists. */
function fleetOn(connection: Connection) {
  const known = knownCrds(connection);
  const restores = noticeRestores(connection, known);
  return {
    ...{ known, restores },
    list(resourceVersion: string, crd = sampleCrd({ resourceVersion })) {
      const elsewhere = restores.beginList()([crd], resourceVersion);
      if (elsewhere === "too-late") return elsewhere;
      if (elsewhere) restores.take(elsewhere, [crd]);
      known.upsert(crd);
      known.heard(resourceVersion);
      return elsewhere;
    },
  };
}

// Noticed twice, it voids what was proven in between, and ends runs that began since.
test("a restore that one fleet has noticed is none for another, nor for one that begins later", async () => {
  const connection = await clusterOf("noticed-once");
  const [first, second] = [fleetOn(connection), fleetOn(connection)];
  for (const one of [first, second]) one.list("1400");
  expect(first.list("1000")).toEqual({ to: "0", from: "1400" });
  const noticed = noticedRestore(connection);
  const proof = signed(sampleProof(sampleCrd(), { settleResourceVersion: "1100", verifiedResourceVersion: "1200" }));
  noteSigned(proof.signature);
  expect(second.list("1250")).toBe("already-noticed");
  expect(second.list("1260")).toBeNull();
  fleetOn(connection).list("5000", sampleCrd({ resourceVersion: "1260" }));
  expect(restoredSince(connection, noticed)).toBe(false);
  expect(isUndone(connection, proof)).toBe(false);
});

test("all that any fleet knew is undone, and a second restore is noticed by whichever lists first", async () => {
  const connection = await clusterOf("noticed-twice");
  const [first, second] = [fleetOn(connection), fleetOn(connection)];
  first.list("1400");
  second.list("2000");
  expect(first.list("1000")).toEqual({ to: "0", from: "2000" });
  first.list("1300");
  const noticed = noticedRestore(connection);
  expect(second.list("1350")).toBe("already-noticed");
  expect(restoredSince(connection, noticed)).toBe(false);
  expect(second.list("1100")).toEqual({ to: "0", from: "1350" });
});

// With only what a fleet knows itself, another person's write makes the restored definition the newest, and nothing shows the restore.
test("what one fleet knows counts for another one's first list and writes, also once it has ended", async () => {
  const connection = await clusterOf("another-persons");
  expect(lastKnown(connection, sampleCrd().name)).toBeNull();
  fleetOn(connection).list("1400");
  expect(lastKnown(connection, sampleCrd().name)).toMatchObject({ resourceVersion: "1400" });
  expect(fleetOn(connection).list("1000")).toEqual({ to: "0", from: "1400" });
  expect(lastKnown(connection, sampleCrd().name)).toMatchObject({ resourceVersion: "1000" });
});

// With only resourceVersions compared (showsRestore of known-states.ts), a write after the restore becomes the newest state, and nothing shows it.
test.each([
  ["at an earlier generation than was known", false],
  ["that was known to be deleted", true],
])("after a restore that raised resourceVersions, a definition %s isn't taken until a list shows the restore", async (name, isDeleted) => {
  const connection = await clusterOf(name);
  const [first, second] = [fleetOn(connection), fleetOn(connection)];
  for (const one of [first, second]) one.list("1400");
  if (isDeleted) first.known.remove(sampleCrd().name, "1450");
  const known = lastKnown(connection, sampleCrd().name);
  const written = sampleCrd({ generation: 1, resourceVersion: "1000001500" });
  for (const { known: one } of [first, second]) expect([one.upsert(written), one.showsRestore(written)]).toEqual([null, true]);
  expect(lastKnown(connection, written.name)).toEqual(known);
  const late = sampleCrd({ generation: 1, resourceVersion: "1300" });
  expect([first.known.upsert(late), first.known.showsRestore(late)]).toEqual([null, false]);
  expect(second.list("1000001510", written)).toEqual({ to: "0", from: isDeleted ? "1450" : "1400" });
  expect(first.list("1000001520", written)).toBe("already-noticed");
  expect([first.known.showsRestore(written), lastKnown(connection, written.name)]).toMatchObject([false, { generation: 1 }]);
});

test("where nobody lists, no list shows a restore, and a definition is taken as it is", async () => {
  const connection = await clusterOf("never-listed");
  const { known } = fleetOn(connection);
  known.upsert(sampleCrd({ resourceVersion: "1400" }));
  expect(known.upsert(sampleCrd({ generation: 1, resourceVersion: "1000001500" }))).not.toBeNull();
});

// With their own order, whoever may not list the definitions has each write refused until resourceVersions pass those from before.
test("a fleet that may not list takes a definition as it is after a restore that another one noticed", async () => {
  const connection = await clusterOf("not-listed");
  const [first, second] = [fleetOn(connection), fleetOn(connection)];
  first.list("1400");
  second.known.upsert(sampleCrd({ resourceVersion: "1410" }));
  first.list("1000");
  expect(second.known.upsert(sampleCrd({ resourceVersion: "1010" }))).not.toBeNull();
  expect(second.known.upsert(sampleCrd({ resourceVersion: "1005" }))).toBeNull();
  expect(lastKnown(connection, sampleCrd().name)).toMatchObject({ resourceVersion: "1010" });
});

// As if it had noticed the first one, it misses the second.
test("a fleet that hasn't listed since a restore has to, takes nothing older until then, and may notice another one", async () => {
  const connection = await clusterOf("not-listed-since");
  const [first, second] = [fleetOn(connection), fleetOn(connection)];
  for (const one of [first, second]) one.list("1400");
  first.list("1000");
  expect(second.known.isOutdated()).toBe(true);
  expect(second.known.upsert(sampleCrd({ resourceVersion: "1010" }))).toBeNull();
  first.list("1300");
  const noticed = noticedRestore(connection);
  expect(second.list("1100")).toEqual({ to: "0", from: "1300" });
  expect(restoredSince(connection, noticed)).toBe(true);
  expect(second.known.isOutdated()).toBe(false);
});

test("a list that was asked for before another fleet noticed a restore is asked for again", async () => {
  const connection = await clusterOf("too-late");
  const [first, second] = [fleetOn(connection), fleetOn(connection)];
  for (const one of [first, second]) one.list("1400");
  const take = second.restores.beginList();
  first.list("1000");
  expect(take([sampleCrd({ resourceVersion: "1400" })], "1450")).toBe("too-late");
  expect(second.list("1020")).toBe("already-noticed");
});

// By the address alone, each list of the one makes the other's definitions look restored, and every write to them is refused.
test.each([
  ["behind two proxies", { proxy: "http://another-proxy:3128" }],
  ["that goes by the TLS server name", { tlsServerName: "another.example.com" }],
  ["that goes by the credentials", { name: "another" }],
])("two clusters may have one address %s", async (_, differs) => {
  const connection = await clusterOf("of-one-address");
  const another = { ...connection, ...differs };
  fleetOn(connection).list("9000");
  expect(fleetOn(another).list("50", sampleCrd({ uid: "another", resourceVersion: "40" }))).toBeNull();
  fleetOn(connection).list("9100");
  expect(lastKnown(another, sampleCrd().name)).toMatchObject({ resourceVersion: "40" });
  expect(noticedRestore(connection)).toBeNull();
});

test("a restore that one context's fleet has noticed is noticed by another context's of the cluster, too", async () => {
  const connection = await clusterOf("of-two-contexts");
  const another = { ...connection, name: "as-somebody-else" };
  const [one, other] = [fleetOn(connection), fleetOn(another)];
  for (const each of [one, other]) each.list("1400");
  expect(one.list("1000")).toEqual({ to: "0", from: "1400" });
  const noticed = noticedRestore(another);
  expect(noticed).toMatchObject({ from: "1400" });
  expect(other.list("1010")).toEqual({ to: "0", from: "1400" });
  expect(restoredSince(connection, noticed)).toBe(true);
});

test("the definitions of another cluster at the same address are no restored ones", async () => {
  const connection = await clusterOf("replaced");
  const one = fleetOn(connection);
  one.list("1400");
  expect(one.list("300", sampleCrd({ uid: "another", resourceVersion: "290" }))).toBe("another-cluster");
  expect(noticedRestore(connection)).toBeNull();
});
