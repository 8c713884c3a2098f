import { afterEach, expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { forgetDefinition } from "#lib/cluster/definitions/evidence/per-definition.ts";
import { sampleCrd, sampleEtcdCount } from "#lib/domain/definition/sample-crd.ts";
import { knownCrds, rememberedCounts } from "./known-crds.ts";

// The only part of a connection that this needs.
const cluster = (server: string) => ({ server }) as Connection;
const [here, clone] = [cluster("https://here:6443"), cluster("https://clone:6443")];
const listed = sampleCrd({ resourceVersion: "1000", storedVersions: ["v1beta1", "v1"] });
const shortened = { ...listed, resourceVersion: "1001", storedVersions: ["v1"] };

afterEach(() => {
  for (const one of [here, clone]) forgetDefinition(one, listed.uid);
});

// With the uid alone as the key, the clone's definition takes the memory of the other one over, or with it when it is deleted.
test("a version that vanished from one cluster's list is missing there only, whatever becomes of a clone's definition", () => {
  const [known, knownOfClone] = [knownCrds(here), knownCrds(clone)];
  known.upsert(listed);
  expect(known.upsert(shortened)?.now.shrankWithoutProof).toEqual(["v1beta1"]);
  expect(knownOfClone.upsert(shortened)?.now.shrankWithoutProof).toEqual([]);
  knownOfClone.upsert({ ...listed, resourceVersion: "1002" });
  knownOfClone.remove(listed.name);
  expect(known.upsert({ ...shortened, resourceVersion: "1003" })?.now.shrankWithoutProof).toEqual(["v1beta1"]);
});

test("a count in one cluster's etcd says nothing of a clone's objects, and stays when the clone's definition is deleted", () => {
  const count = sampleEtcdCount({ v1beta1: [2, "900"] });
  rememberedCounts().set(here, listed.uid, count);
  const knownOfClone = knownCrds(clone);
  expect(knownOfClone.upsert(listed)?.now.etcdCount).toBeNull();
  knownOfClone.remove(listed.name);
  expect(knownCrds(here).upsert(listed)?.now.etcdCount).toEqual(count);
});
