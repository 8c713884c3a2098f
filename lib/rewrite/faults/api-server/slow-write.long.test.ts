import { readFileSync } from "node:fs";
import { request } from "node:https";
import { json } from "node:stream/consumers";
import { describe, expect } from "vitest";
import type { KubernetesObject } from "#lib/local-cluster/api-client.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { TestCluster } from "#lib/local-cluster/testing/vitest-global-setup.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";

/** After its begin; the API server ends a write after 34 s. */
const FINISHED_AFTER_MS = 20_000;
const WAITS_S = { inForce: 65, takenOut: 0 };

describe("a create whose body starts before the flip and ends long after it", () => {
  faultTest("is stored at the old version, and the settle wait covers it", async (bench) => {
    const { definition, slow, begunAt } = await flipDuringSlowWrite(bench);
    const { id } = await startRewrite(bench.connection, definition.name, {
      acceptUnseen: true,
      settleSeconds: WAITS_S.inForce,
      signal: soon(),
    });
    await expect.poll(() => performance.now() - begunAt, { timeout: 60_000, interval: 200 }).toBeGreaterThan(FINISHED_AFTER_MS);
    expect(await bench.run(definition, id)).toMatchObject({ phase: "settling", counts: { rewritten: 0 } });
    await slow.finish();
    expect(await bench.storedAs(definition)).toMatchObject({ v1beta1: 6 });
    expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: 6, rewritten: 6 } });
    expect(await bench.storedAs(definition)).toEqual({ v1: 6 });
  });

  // Without the guard: this is what the wait prevents.
  faultTest("is missed, and the proof is wrong, if the wait is zero while a slow request is in progress", async (bench) => {
    const { definition, slow } = await flipDuringSlowWrite(bench);
    const { id } = await startRewrite(bench.connection, definition.name, {
      acceptUnseen: true,
      settleSeconds: WAITS_S.takenOut,
      signal: soon(),
    });
    expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: 5 } });
    await slow.finish();
    expect(await bench.storedAs(definition)).toEqual({ v1: 5, v1beta1: 1 });
  });
});

async function flipDuringSlowWrite({ define, flip, cluster }: FaultBench) {
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", 5);
  const slow = beginCreate(cluster, definition);
  await slow.begun;
  const begunAt = performance.now();
  await flip(definition, afterFlip);
  return { definition, slow, begunAt };
}

/** Sends half of an object. */
function beginCreate(cluster: TestCluster, definition: SampleDefinition) {
  const body = JSON.stringify({
    apiVersion: `${definition.group}/v1beta1`,
    kind: "Widget",
    metadata: { name: "slow" },
    spec: { text: "x".repeat(5_000) },
  });
  const headers = {
    authorization: `Bearer ${cluster.token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  const sent = request(new URL(definition.path("v1beta1", { name: "" }), cluster.server), {
    method: "POST",
    headers,
    ca: readFileSync(cluster.caFile),
  });
  const answered = new Promise<KubernetesObject>((resolve, reject) => {
    sent.on("response", (response) =>
      response.statusCode === 201
        ? json(response).then((answer) => resolve(answer as KubernetesObject))
        : reject(new Error(`The API server answered ${response.statusCode}.`)),
    );
    sent.on("error", reject);
  });
  answered.catch(() => {});
  const half = body.length / 2;
  return {
    begun: new Promise<void>((resolve) => sent.write(body.slice(0, half), () => resolve())),
    finish() {
      sent.end(body.slice(half));
      return answered;
    },
  };
}
