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

// Readers who share crdshift's credentials share its connections, too. Without turns, thirty probes of one network hold all of them.
test("many probes at once ask a few versions at a time, and nobody's keep another's waiting", async () => {
  const versions = Array.from({ length: 6 }, (_, index) => sampleVersion(`v${index + 1}`, { storage: index === 0 }));
  let most = 0;
  const hanging = new Set<() => void>();
  const connection = await connectionTo("hanging webhook", (_, response) => {
    hanging.add(() => response.end(JSON.stringify({ metadata: { resourceVersion: "1" }, items: [] })));
    most = Math.max(most, hanging.size);
  });
  const probe = (person: string) => probeConversion(connection, sampleCrd({ versions }), { signal: AbortSignal.timeout(60_000), person });
  const all = Array.from({ length: 30 }, () => probe("mallory"));
  await expect.poll(() => hanging.size).toBe(8);
  const other = probe("alice");
  await expect.poll(() => hanging.size).toBeGreaterThan(8);
  const answering = setInterval(() => {
    for (const answer of hanging) answer();
    hanging.clear();
  }, 5);
  await Promise.all([...all, other]);
  clearInterval(answering);
  expect(most).toBeLessThanOrEqual(16);
});
