import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { noteEarlyDenial, noteGranted } from "#lib/cluster/transport/early-denial.ts";
import { statusError } from "#lib/cluster/transport/errors.ts";
import { apiStatusOf, findMigrationApi } from "./migration-apis.ts";

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

// Without isEarlyDenial (apiStatusOf) an API server that has just started makes every engine count as idle, and `status` say "current".
test("a denial by an API server that may not know the roles yet is a failure", async () => {
  const connection = await connectionTo(`started-${randomUUID()}`, (_, response) => response.end());
  const request = { path: "/apis/migration.k8s.io/v1alpha1/storageversionmigrations" };
  const body = JSON.stringify({ kind: "Status", reason: "Forbidden", message: "forbidden" });
  const denied = (over: Connection) => apiStatusOf(noteEarlyDenial(over, request, statusError(403, {}, body, request)));
  noteGranted(connection, request);
  noteEarlyDenial(connection, request, statusError(503, {}, "", request));
  expect(denied(connection)).toEqual({ status: "failed", message: "forbidden" });
  const other = await connectionTo(`denied-${randomUUID()}`, (_, response) => response.end());
  expect(denied(other)).toEqual({ status: "denied", message: "forbidden" });
});
