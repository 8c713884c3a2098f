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
    known,
    list(resourceVersion: string, crd = sampleCrd({ resourceVersion })) {
      const elsewhere = restores.beginList()([crd], resourceVersion);
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
  second.list("1350");
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

// With their own order, whoever may not list the definitions has each write refused until resourceVersions pass those from before.
test("a fleet that hasn't listed since takes a definition as it is after the restore, and tells the others nothing", async () => {
  const connection = await clusterOf("not-listed-since");
  const [first, second] = [fleetOn(connection), fleetOn(connection)];
  for (const one of [first, second]) one.list("1400");
  first.list("1000");
  expect(second.known.upsert(sampleCrd({ resourceVersion: "1390" }))).not.toBeNull();
  expect(second.known.upsert(sampleCrd({ resourceVersion: "1010" }))).not.toBeNull();
  expect(lastKnown(connection, sampleCrd().name)).toMatchObject({ resourceVersion: "1000" });
});

test("the definitions of another cluster at the same address are no restored ones", async () => {
  const connection = await clusterOf("replaced");
  const one = fleetOn(connection);
  one.list("1400");
  expect(one.list("300", sampleCrd({ uid: "another", resourceVersion: "290" }))).toBe("another-cluster");
  expect(noticedRestore(connection)).toBeNull();
});
