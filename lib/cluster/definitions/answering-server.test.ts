import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { answeringServer } from "./answering-server.ts";

const SERVED = 300;
/** The storage version is the last one. */
const crd = sampleCrd({
  versions: Array.from({ length: SERVED }, (_, index) => sampleVersion(`v${index + 1}`, { storage: index === SERVED - 1 })),
});
const object = { metadata: { name: "my-tab", namespace: "default", uid: "1", resourceVersion: "1" } };

/** Who answers, by an API server that answers for each version's APIService like this; and which requests that took. */
async function asked(apiService: (version: string, response: ServerResponse) => object) {
  let atWork = 0;
  const seen = { most: 0, apiServices: [] as string[], others: 0 };
  const answer = async ({ url = "" }: IncomingMessage, response: ServerResponse) => {
    atWork += 1;
    seen.most = Math.max(seen.most, atWork);
    const [, version] = /apiservices\/(v\d+)\.example\.com$/.exec(url) ?? [];
    if (version) seen.apiServices.push(version);
    else seen.others += 1;
    await setTimeout(1);
    const found = url.includes("/my-tab") ? object : { metadata: { resourceVersion: "1" }, items: [object] };
    response.end(JSON.stringify(version ? apiService(version, response) : found));
    atWork -= 1;
  };
  const connection = await connectionTo("many versions", (request, response) => void answer(request, response));
  return { answering: await answeringServer(connection, crd, AbortSignal.timeout(60_000)), seen };
}

const own = (version: string) => ({
  metadata: { uid: version, resourceVersion: "1", creationTimestamp: "2026-01-02T12:00:00Z" },
  spec: {},
});

test("of hundreds of served versions, the APIServices of a hundred are read, a few at a time, and who answers for the others is unknown", async () => {
  const { answering, seen } = await asked(own);
  expect(seen.apiServices).toHaveLength(100);
  expect(seen.apiServices).toContain(`v${SERVED}`);
  expect(seen.most).toBeLessThanOrEqual(8);
  expect(answering).toEqual({
    kind: "unknown",
    because: expect.stringMatching(/has 300 served versions, and crdshift looked at 100 .* Set /),
    // For a look at whether one of them has changed since.
    apiServices: { state: expect.stringContaining(`v${SERVED} 1`), ageMs: expect.any(Number) },
  });
});

test("no more are read once one names another server", async () => {
  const service = { namespace: "default", name: "other" };
  const { answering, seen } = await asked((version) => ({ ...own(version), spec: { service } }));
  expect(answering).toMatchObject({ kind: "another", because: expect.stringContaining("default/other") });
  expect(seen.apiServices.length).toBeLessThanOrEqual(8);
});

test("where they can't be read, fifty versions are compared, and who answers for the others is unknown", async () => {
  const { answering, seen } = await asked((_, response) => {
    response.statusCode = 403;
    return { kind: "Status", status: "Failure", reason: "Forbidden", message: "no" };
  });
  // A list, and a read of its first object.
  expect(seen.others).toBe(2 * 49);
  expect(answering).toEqual({
    kind: "unknown",
    because: expect.stringMatching(/has 300 served versions, and crdshift looked at 50 /),
    apiServices: "unread",
  });
});
