import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { readConversion } from "./read-conversion.ts";

// Without conversionPairs' and differencesOf's look-ups (conversion-lint.ts, read-conversion.ts), it took 5 s. A real API server needs a
// minute to take such a definition.
test("the conversion of thousands of versions holds nobody up", async () => {
  const versions = Array.from({ length: 4_000 }, (_, index) => ({
    ...{ name: `v${index + 1}`, served: true, storage: index === 0 },
    schema: { openAPIV3Schema: { type: "object" } },
  }));
  const definition = {
    metadata: { name: "things.example.com", resourceVersion: "1" },
    spec: { versions },
    status: { storedVersions: ["v1"] },
  };
  const connection = await connectionTo("hostile versions", (_, response) => response.end(JSON.stringify(definition)));
  const { longest, result } = await whileWatched(() => readConversion(connection, "things.example.com", AbortSignal.timeout(60_000)));
  expect(result.pairs).toBe(7_998);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
