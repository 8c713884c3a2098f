import { expect, test, vi } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import type { Confirming } from "#lib/rewrite/run/confirm-definition.ts";
import { unconfirmedWrites } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { cleanObjects } from "./clean-objects.ts";
import { createCleaningTally } from "./cleaning-tally.ts";
import { cleaningHere } from "./cleanings-here.ts";

const BROKEN = "broken";

vi.mock("./clean-object.ts", () => ({
  cleanObject: async (_: object, { name }: ObjectName) =>
    name === BROKEN ? { kind: "rejected", reason: "InternalError", message: "can't be converted" } : { kind: "untouched" },
}));
vi.mock("#lib/rewrite/run/confirm-definition.ts", () => ({
  whileConfirmed: ({ signal }: Confirming, work: (within: AbortSignal) => Promise<void>) => work(signal),
}));

const crd = sampleCrd();
const names = ["first", BROKEN, "last"];

/** An API server that can't convert one object to the storage version. */
const listing = () =>
  connectionTo("unconvertible", (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
    const [limit, from] = [Number(query.get("limit")), Number(query.get("continue"))];
    const page = names.slice(from, from + limit);
    if (pathname.includes("/v1/") && page.includes(BROKEN)) {
      const message = `conversion webhook for ${crd.group}/v1beta1, Kind=${crd.kind} failed: no such thing`;
      response.statusCode = 500;
      return response.end(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: 500, message }));
    }
    const managedFields = [{ manager: "helm", operation: "Apply", apiVersion: `${crd.group}/v1beta1`, fieldsV1: {} }];
    const items = page.map((name) => ({ metadata: { name, namespace: "default", uid: name, resourceVersion: "1", managedFields } }));
    const next = from + limit < names.length && { continue: String(from + limit) };
    response.end(JSON.stringify({ metadata: { resourceVersion: "10", ...next }, items }));
  });

// Where the list waits until all objects can be converted (objectsToClean), one holds the cleaning for ten minutes, and each later one.
test("an object that can't be converted is named and rejected, and the others are cleaned", async () => {
  const connection = await listing();
  const signal = AbortSignal.timeout(15_000);
  const tally = createCleaningTally({ dryRun: true });
  const ending = new AbortController();
  const rights = { definition: true, objects: true };
  const here = cleaningHere(connection, crd, { rights, ending });
  await cleanObjects({
    cleaning: {
      ...{ connection, crd, version: "v1", versions: ["v1beta1"], dryRun: true },
      ...{ gate: createGate(), pacer: createPacer(null), signal, lasting: signal },
    },
    ...{ ending, here, rights, isProven: () => true, writes: unconfirmedWrites(), tally },
    admission: {
      ...{ now: async () => "", again: async () => "", unchecked: (write) => write(), distrust() {}, raised() {} },
      ...{ close: async () => {}, lastLook: async () => {}, exposed: () => null, changedUnseen: () => null },
    },
  });
  expect(tally.current()).toMatchObject({
    ...{ scanned: 3, untouched: 2, rejected: 1 },
    rejections: [{ message: "can't be converted", examples: [{ namespace: "default", name: BROKEN }] }],
  });
});
