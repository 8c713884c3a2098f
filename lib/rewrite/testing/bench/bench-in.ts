import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn } from "./open-test-bench.ts";
import type { TestBench } from "./test-bench.ts";

/** A way to the cluster of this test's own, such as through a proxy, and the fleet seen through it. */
export async function benchIn(
  { cluster, api }: Pick<TestBench, "cluster" | "api">,
  context: { server?: string; token?: string } = {},
): Promise<TestBench> {
  const name = `own ${randomUUID()}`;
  await chooseContexts(cluster, { name, ...context });
  const connection = await connect(name);
  onTestFinished(() => fleetOf(connection).stop());
  onTestFinished(stopAllRuns);
  return benchOn(cluster, api, connection);
}
