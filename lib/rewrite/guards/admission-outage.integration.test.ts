import { expect } from "vitest";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const MUTATING = "/mutatingwebhookconfigurations";
const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: 503, reason: "ServiceUnavailable" });

// Without the gate (run-dry-run.ts) its admission is null, which no later reading equals: the rewrite checks every object in vain.
faultTest("a dry run that begins in an outage waits, and knows what mutates", async ({ proxy, stale, dryRun }) => {
  const definition = await stale(3);
  const outage = proxy.inject(({ path }) => path.includes(MUTATING), { kind: "answer", status: 503, body }, 2);
  expect(await dryRun(definition)).toMatchObject({ phase: "succeeded", lossesKnown: true });
  expect(outage.hits()).toBe(2);
  expect(await readRecord(definition)).toMatchObject({ dryRun: { admission: "" } });
});

// With all kinds listed (admissionOf) a run asks each minute for twice as much as it uses.
faultTest("a run that relies on a dry run reads only what mutates", async ({ proxy, stale, dryRun, rewrite }) => {
  const definition = await stale(3);
  await dryRun(definition);
  const before = proxy.seen.length;
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const asked = proxy.seen.slice(before).filter(({ path }) => path.startsWith("/apis/admissionregistration.k8s.io/"));
  expect(asked.some(({ path }) => path.includes(MUTATING))).toBe(true);
  expect(asked.filter(({ path }) => path.includes("/validating"))).toEqual([]);
});
