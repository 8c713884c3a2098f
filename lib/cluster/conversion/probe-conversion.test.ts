import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { probeConversion } from "./probe-conversion.ts";

test("of hundreds of versions, fifty are tried, a few at a time, in priority order", async () => {
  const versions = Array.from({ length: 300 }, (_, index) => sampleVersion(`v${index + 1}`, { storage: index === 0 }));
  let atWork = 0;
  let most = 0;
  const asked: string[] = [];
  const connection = await connectionTo("many versions", async (request, response) => {
    atWork += 1;
    most = Math.max(most, atWork);
    const [, version = "", name] = /\/example\.com\/(v\d+)\/(?:namespaces\/default\/)?crontabs(\/my-tab)?/.exec(request.url ?? "") ?? [];
    if (name) asked.push(version);
    // The earlier ones answer last.
    await setTimeout(version === "v300" ? 30 : 1);
    const object = { metadata: { name: "my-tab", namespace: "default", resourceVersion: "1" } };
    response.end(JSON.stringify(name ? object : { metadata: { resourceVersion: "1" }, items: [object] }));
    atWork -= 1;
  });
  const probe = await probeConversion(connection, sampleCrd({ versions }), { signal: AbortSignal.timeout(60_000) });
  const expected = Array.from({ length: 50 }, (_, index) => `v${300 - index}`);
  expect(probe.versions.map(({ version }) => version)).toEqual(expected);
  expect(asked.toSorted()).toEqual(expected.toSorted());
  expect(probe.versions.every(({ readMs, failure }) => readMs !== null && failure === null)).toBe(true);
  expect(most).toBeLessThanOrEqual(8);
});
