import { expect } from "vitest";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { type FaultBench, faultTest, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";
import { cleanManagedFields } from "./clean-managed-fields.ts";

await openTestBench();

const OBJECTS = 3;
const FOREVER = Number.POSITIVE_INFINITY;
const UNCONFIRMED = `${OBJECTS} objects were written after crdshift last found the definition unchanged.`;
const isReading: Match = ({ method, path, headers }) =>
  method === "GET" && path.includes("/customresourcedefinitions/") && headers.accept?.includes("PartialObjectMetadata") === true;

/** Proven objects, and a cleaning of them. No write is answered, so none counts as cleaned. */
async function cleaning({ stale, rewrite, proxy }: FaultBench, connection: Connection) {
  const definition = await stale(OBJECTS, { spec: () => ({ note: "precious" }) });
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const { crd } = await readCrd(connection, definition.name, soon());
  const writes = () => proxy.seen.filter(patchOf(definition)).length;
  const before = writes();
  const stop = new AbortController();
  const clean = async () => {
    for await (const { cleaned } of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, stop.signal)) expect(cleaned).toBe(0);
  };
  return {
    definition,
    /** Begins; resolves to the error that ends it. */
    begin: () =>
      clean().then(
        () => expect.fail("it did not stop"),
        (error: unknown) => error,
      ),
    underWay: () => expect.poll(() => writes() - before, { timeout: 20_000 }).toBe(OBJECTS),
    stop: () => stop.abort(new Error("the reader closed the page")),
  };
}

async function told({ connection }: FaultBench, { name }: SampleDefinition): Promise<string> {
  await untilRecorded();
  const { items } = await readHistory(connection, name, soon());
  return items.find(({ kind }) => kind === "cleaned")?.message ?? "nothing";
}

// Without the consequences in recordCleaning (clean-managed-fields.ts) nothing is on record, because nothing counts as cleaned.
faultTest("a cleaning stopped before any answer tells of writes that may have met another definition", async (bench) => {
  const { definition, begin, underWay, stop } = await cleaning(bench, bench.connection);
  bench.proxy.hold(patchOf(definition), "after", FOREVER);
  const ended = begin();
  await underWay();
  bench.proxy.hold(isReading, "before", FOREVER);
  stop();
  expect(await ended).toMatchObject({ message: "the reader closed the page" });
  expect(await told(bench, definition)).toContain(UNCONFIRMED);
});

// Without countUnknown (clean-objects.ts) nothing is on record, although all of them are stored.
faultTest("a cleaning stopped before any answer tells how many writes went unanswered", async (bench) => {
  const { definition, begin, underWay, stop } = await cleaning(bench, bench.connection);
  bench.proxy.hold(patchOf(definition), "after", FOREVER);
  const ended = begin();
  await underWay();
  stop();
  await ended;
  expect(await told(bench, definition)).toBe(
    `Cleaned the entries of v1beta1 in managedFields of at least 0 objects. Cleaning ended before ${OBJECTS} more writes were answered.`,
  );
});

faultTest("a cleaning stopped before any answer tells of a webhook installed while it wrote", async (bench) => {
  const { definition, begin, underWay, stop } = await cleaning(bench, bench.connection);
  bench.proxy.hold(patchOf(definition), "after", FOREVER);
  const ended = begin();
  await underWay();
  await removeNotes(bench.api, definition);
  stop();
  await ended;
  expect(await told(bench, definition)).toContain(`Up to ${OBJECTS} objects written in that time weren't checked first`);
});

// Without them in whyEnded (clean-managed-fields.ts) whoever has to sign in again isn't told.
faultTest("a cleaning that asks for a sign-in tells of writes that may have met another definition", async (bench) => {
  const { cluster, proxy } = bench;
  const credentials = { kind: "bearer", token: cluster.token } as const;
  const theirs = await connect(contextsFor(credentials).current, credentials);
  const { definition, begin, underWay } = await cleaning(bench, theirs);
  const refused = { kind: "Status", apiVersion: "v1", status: "Failure", code: 401, reason: "Unauthorized", message: "Unauthorized" };
  proxy.inject(past(OBJECTS - 1, patchOf(definition)), { kind: "answer", status: 401, body: JSON.stringify(refused) }, 1);
  const held = proxy.hold(patchOf(definition), "before", FOREVER);
  const ended = begin();
  await underWay();
  proxy.hold(isReading, "before", FOREVER);
  held.release();
  expect(await ended).toMatchObject({
    code: "unauthenticated",
    details: { signIn: true, ended: "token-refused" },
    message: expect.stringContaining("written after crdshift last found the definition unchanged."),
  });
  expect(await told(bench, definition)).toContain("written after crdshift last found the definition unchanged.");
});
