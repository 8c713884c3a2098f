import { expect, test } from "vitest";

import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { countManagedFields } from "./count-managed-fields.ts";

// With one pass over all entries per version (count-managed-fields.ts), seconds.
test("an object whose 9,000 entries name the 9,000 versions of its definition holds nobody up", async () => {
  const managedFields = Array.from({ length: 9_000 }, (_, index) => ({
    ...{ manager: "m", operation: "Update", apiVersion: `example.com/v${index}`, fieldsType: "FieldsV1", fieldsV1: {} },
  }));
  const items = [{ metadata: { name: "many", resourceVersion: "5", managedFields } }];
  const page = JSON.stringify({ metadata: { resourceVersion: "10" }, items });
  const on = await connectionTo("many", (_, response) => void response.writeHead(200).end(page));
  const crd = sampleCrd({ versions: managedFields.map((_, index) => sampleVersion(`v${index}`, { storage: index === 0 })) });
  const counted = () => countManagedFields(on, crd, AbortSignal.timeout(30_000)).next();
  const { longest, result } = await whileWatched(counted);
  expect(result.value).toMatchObject({ scanned: 1, complete: true });
  expect(longest).toBeLessThan(LONGEST_TURN);
});
