import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { findMigrationApi } from "./migration-apis.ts";

const soon = AbortSignal.timeout(10_000);

// As if the cluster served none, a rewrite is refused with advice to turn feature gates on.
test("an API that one API server offers and the next doesn't know is no API that is gone", async () => {
  const connection = await connectionTo(`mixed-${randomUUID()}`, (request, response) => {
    if (request.url?.endsWith(".k8s.io")) response.end(JSON.stringify({ versions: [{ version: "v1" }] }));
    else response.writeHead(404).end("404 page not found");
  });
  await expect(findMigrationApi(connection, "in-tree", soon)).rejects.toMatchObject({ code: "cluster_unreachable" });
});

test("an API that none offers is not served", async () => {
  const connection = await connectionTo(`none-${randomUUID()}`, (_, response) => response.writeHead(404).end("404 page not found"));
  expect(await findMigrationApi(connection, "in-tree", soon)).toBeNull();
});
