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

// With fifty managers for each of a definition's own versions, each page copies 150,000 of them, and a line has 15 MB.
test("of thousands of versions, all are counted, and no more managers are kept than of a hundred", async () => {
  const VERSIONS = 3_000;
  const entry = (version: number, manager: number) => ({
    ...{ manager: `m${manager}`, operation: "Apply", apiVersion: `example.com/v${version}`, fieldsType: "FieldsV1", fieldsV1: {} },
  });
  const items = Array.from({ length: 50 }, (_, manager) => ({
    metadata: {
      name: `o${manager}`,
      resourceVersion: "5",
      managedFields: Array.from({ length: VERSIONS }, (_, index) => entry(index, manager)),
    },
  }));
  const pageOf = (at: number) =>
    JSON.stringify({ metadata: { resourceVersion: "10", ...(at < 49 && { continue: `${at + 1}` }) }, items: [items[at]] });
  const on = await connectionTo("many", (request, response) => {
    response.writeHead(200).end(pageOf(Number(new URL(request.url ?? "", "http://on").searchParams.get("continue") ?? 0)));
  });
  const versions = Array.from({ length: VERSIONS }, (_, index) => sampleVersion(`v${index}`, { storage: index === 0 }));
  const lines = await Array.fromAsync(countManagedFields(on, sampleCrd({ versions }), AbortSignal.timeout(60_000)));
  const counted = lines.at(-1)?.versions ?? [];
  expect(counted.map(({ objects }) => objects)).toEqual(versions.map(() => 50));
  const kept = counted.reduce((sum, { managers }) => sum + managers.length, 0);
  expect(kept).toBe(5_000);
  expect(counted.reduce((sum, { moreManagers }) => sum + moreManagers, kept)).toBe(50 * VERSIONS);
});
