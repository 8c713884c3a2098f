import { expect } from "vitest";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { previewVersionChange } from "./preview-version-change.ts";

const preview = ({ connection }: FaultBench, definition: SampleDefinition) =>
  previewVersionChange(connection, definition.name, "v1beta1", { deprecated: true }, soon());

function answered({ proxy }: FaultBench, status: number, message: string): void {
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, code: status });
  const headers = { "content-type": "application/json" };
  proxy.inject(({ method, path }) => method === "PATCH" && path.includes("dryRun=All"), { kind: "answer", status, headers, body });
}

// Without isAboutChange (preview-version-change.ts) the page says that the API server would reject the change.
faultTest("a preview that the API server can't answer fails, and rejects nothing", async (bench) => {
  const definition = await bench.stale(0);
  for (const [status, code] of [[503, "cluster_unreachable"] as const, [409, "conflict"] as const, [401, "unauthenticated"] as const]) {
    answered(bench, status, "not now");
    await expect(preview(bench, definition)).rejects.toMatchObject({ code });
  }
});

// Without isAdmissionDenial (isAboutChange) a webhook's no looks like an outage, because of the status it chose.
faultTest("a preview tells what a webhook would deny as a rejection, whatever its status", async (bench) => {
  const definition = await bench.stale(0);
  answered(bench, 503, 'admission webhook "guard.example.com" denied the request: frozen');
  expect(await preview(bench, definition)).toMatchObject({ refusal: null, rejection: { message: expect.stringContaining("frozen") } });
});
