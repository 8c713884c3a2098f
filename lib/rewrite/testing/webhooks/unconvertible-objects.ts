import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { conversionWebhook } from "./webhook-server.ts";

/** Objects at v1beta1, some of which fail to convert since before the API server ever converted them. */
export async function unconvertibleObjects({ define, flip }: TestBench, count: number, unconvertible: number[]) {
  const failing = new Set<string>();
  const conversion = await conversionWebhook((object, apiVersion) => {
    if (failing.has(object.metadata.name)) throw new Error("spec.size is not a number");
    return { ...object, apiVersion };
  });
  const definition = await define(beforeFlip, conversion);
  await definition.createObjects("v1beta1", count);
  for (const index of unconvertible) failing.add(objectName(index));
  await flip(definition, afterFlip);
  return { definition, failing };
}
