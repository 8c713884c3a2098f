import { expect, onTestFinished, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { fleetOf } from "./fleet-of.ts";
import { readKnownCrd } from "./read-known-crd.ts";

/** The fleet of a cluster that answers a list of definitions with this status; null: never. */
async function fleetWhoseList(status: number | null) {
  const connection = await connectionTo(`answers ${status}`, ({ url }, response) => {
    if (status === null && url?.includes("customresourcedefinitions")) return;
    response.writeHead(status ?? 404, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: status ?? 404, reason: "Forbidden", message: "no" }),
    );
  });
  const fleet = fleetOf(connection);
  onTestFinished(() => fleet.stop());
  return { connection, fleet };
}

// Where any definition that is known counts as a list (listed in start-fleet.ts) all others are "not found" until the first list has come.
test("a definition that was read by itself is no list", async () => {
  const { fleet } = await fleetWhoseList(null);
  fleet.beginRead()(sampleCrd());
  await expect(fleet.listed(AbortSignal.timeout(300))).rejects.toThrow("timeout");
});

test("whoever may not list definitions sees those that were read by themselves", async () => {
  const { connection, fleet } = await fleetWhoseList(403);
  await expect(fleet.listed(AbortSignal.timeout(5_000))).rejects.toMatchObject({ code: "forbidden" });
  fleet.beginRead()(sampleCrd());
  await fleet.listed(AbortSignal.timeout(5_000));
  expect(fleet.crds()).toHaveLength(1);
  // Of another one, nobody knows whether it exists.
  await expect(readKnownCrd(connection, "others.example.com", AbortSignal.timeout(5_000))).rejects.toMatchObject({ code: "forbidden" });
});
