import { afterAll } from "vitest";
import { silenceFleets } from "#lib/cluster/fleet/fleet-of.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";

// Registered first, so it runs after the file's own. What is still at work would ask the API server beside the next file's tests.
afterAll(async () => {
  await stopAllRuns();
  silenceFleets();
});
