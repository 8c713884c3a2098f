import { expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { isUndone, noteSigned, noticedRestore, restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd, sampleProof } from "#lib/domain/testing/sample-crd.ts";
import { knownCrds } from "./known-crds.ts";
import { leftKnown } from "./left-known.ts";
import { noticeRestores } from "./notice-restores.ts";

const clusterOf = (name: string) => connectionTo(name, (_, response) => response.end("{}"));

/** As a fleet of the cluster takes its lists. */
function fleetOn(connection: Connection) {
  const known = knownCrds(connection);
  let heard = "";
  const restores = noticeRestores(connection, known, () => heard);
  return {
    restores,
    list(resourceVersion: string, crd = sampleCrd({ resourceVersion })) {
      const elsewhere = restores.beginList()([crd], resourceVersion);
      if (elsewhere) restores.take(elsewhere, [crd]);
      known.upsert(crd);
      heard = resourceVersion;
      restores.taken();
      return elsewhere;
    },
  };
}

// Noticed twice, it voids what was proven in between, and ends runs that began since.
test("a restore that one fleet has noticed is none for another, nor for one that begins later", async () => {
  const connection = await clusterOf("noticed-once");
  const [first, second, third] = [fleetOn(connection), fleetOn(connection), fleetOn(connection)];
  for (const one of [first, second, third]) one.list("1400");
  expect(first.list("1000")).toEqual({ to: "0", from: "1400" });
  const noticed = noticedRestore(connection);
  const proof = signed(sampleProof(sampleCrd(), { settleResourceVersion: "1100", verifiedResourceVersion: "1200" }));
  noteSigned(proof.signature);
  second.list("1250");
  // Its token is rejected before it lists again.
  third.restores.end();
  expect(leftKnown(connection)).toBeNull();
  fleetOn(connection).list("5000", sampleCrd({ resourceVersion: "1205" }));
  expect(restoredSince(connection, noticed)).toBe(false);
  expect(isUndone(connection, proof)).toBe(false);
});

test("a second restore is noticed by whoever knew more than the first one undid", async () => {
  const connection = await clusterOf("noticed-twice");
  const [first, second] = [fleetOn(connection), fleetOn(connection)];
  first.list("1400");
  second.list("2000");
  first.list("1000");
  const noticed = noticedRestore(connection);
  second.list("1100");
  expect(restoredSince(connection, noticed)).toBe(true);
});

// Without what was left (notice-restores.ts) it passes for the first one, which the other fleet had noticed.
test("a second restore is noticed by a fleet that missed the first, if a fleet that ended between them knew more", async () => {
  const connection = await clusterOf("left-between");
  const [first, second] = [fleetOn(connection), fleetOn(connection)];
  first.list("1400");
  second.list("1390");
  first.list("1000");
  first.list("1300");
  first.restores.end();
  const noticed = noticedRestore(connection);
  second.list("1100");
  expect(restoredSince(connection, noticed)).toBe(true);
  expect(leftKnown(connection)).toBeNull();
});

test("the definitions of another cluster at the same address are no restored ones", async () => {
  const connection = await clusterOf("replaced");
  const one = fleetOn(connection);
  one.list("1400");
  expect(one.list("300", sampleCrd({ uid: "another", resourceVersion: "290" }))).toBe("another-cluster");
  expect(noticedRestore(connection)).toBeNull();
});
