import { expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Proof, RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { crdIdentity } from "#lib/domain/rewrite/identity.ts";
import { sampleRecord } from "#lib/domain/testing/sample-crd.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { readRecord } from "./hold-elsewhere.ts";

/** A true proof of another definition, made out for this one, and a record with it and the run that it names. */
export async function forgedProof(
  { connection, stale, rewrite }: TestBench,
  definition: SampleDefinition,
  objects: number,
): Promise<{ proof: Proof; record: RewriteRecord }> {
  const other = await stale(1);
  expect(await rewrite(other, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const record = await readRecord(other);
  const identity = crdIdentity((await readCrd(connection, definition.name, soon())).crd);
  if (!record.proof || !identity) throw new Error("The other definition has no proof.");
  const proof = { ...record.proof, ...identity, objects };
  const runs = record.runs.map((run) => ({ ...run, crd: definition.name }));
  return { proof, record: sampleRecord({ proof, runs }) };
}
