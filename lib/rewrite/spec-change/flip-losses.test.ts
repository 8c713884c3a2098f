import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { flipLosses } from "./flip-losses.ts";

test("where reading objects would show nothing, the cluster isn't asked who answers for them either", async () => {
  const seen: string[] = [];
  const connection = await connectionTo("blind flip", ({ url = "" }, response) => {
    seen.push(url);
    response.end("{}");
  });
  const converted = sampleCrd({ conversion: { strategy: "Webhook", target: "x" } });
  const blind = [
    flipLosses(connection, converted, "v1beta1", AbortSignal.timeout(60_000)),
    flipLosses(connection, sampleCrd(), "v1", AbortSignal.timeout(60_000)),
  ];
  for (const flip of await Promise.all(blind)) expect(flip).toMatchObject({ total: null, checked: 0, unknownBecause: expect.any(String) });
  expect(seen).toEqual([]);
});
