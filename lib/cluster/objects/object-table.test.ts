import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { readObjectTable } from "./object-table.ts";

test("of thousands of printer columns, fifty are read, the name and the wide ones not counted", async () => {
  const columnDefinitions = [
    { name: "Name", type: "string" },
    ...Array.from({ length: 5_000 }, (_, index) => ({ name: `C${index}`, type: "string", priority: index === 0 ? 1 : 0 })),
  ];
  const rows = [{ cells: columnDefinitions.map(({ name }) => name), object: { metadata: { name: "a" } } }];
  const connection = await connectionTo("hostile table", (_, response) =>
    response.end(JSON.stringify({ metadata: { resourceVersion: "1" }, columnDefinitions, rows })),
  );
  const signal = AbortSignal.timeout(30_000);
  const { columns, rows: shown } = await readObjectTable(connection, sampleCrd(), { version: "v1", limit: 1, next: null, signal });
  const expected = Array.from({ length: 50 }, (_, index) => `C${index + 1}`);
  expect(columns.map(({ name }) => name)).toEqual(expected);
  expect(shown[0]?.cells).toEqual(expected);
});
