import { expect } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, listOf } from "#lib/rewrite/testing/fault-test.ts";

const OBJECTS = 60;
const DELETED = 5;

// Without the number of listed objects (staleObjects in rewrite-objects.ts) the run succeeds with 5 objects remaining.
faultTest("a list that continues inconsistently after deletions: nothing remains", async ({ api, stale, proxy, start, endOf }) => {
  const definition = await stale(OBJECTS);
  const nextPage: Match = (request) => {
    return listOf(definition)(request) && request.path.includes("continue=") && (request.headers["user-agent"]?.includes("run=") ?? false);
  };
  let expired = "";
  const edited = proxy.inject(nextPage, { kind: "edit", status: 410, change: () => expired }, 1);
  const page = proxy.hold(nextPage, "before", 1);
  const { id } = await start(definition, { acceptLosses: true });
  const { path } = await page.reached;
  const token = new URL(path, "https://localhost").searchParams.get("continue") ?? "";
  // What the API server itself offers once a token has expired: apiserver/pkg/storage/continue.go.
  const position: object = JSON.parse(Buffer.from(token, "base64url").toString());
  const inconsistent = Buffer.from(JSON.stringify({ ...position, rv: -1 })).toString("base64url");
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 };
  expired = JSON.stringify({ ...status, metadata: { continue: inconsistent } });
  for (let index = OBJECTS - DELETED; index < OBJECTS; index += 1) await api.delete(definition.path("v1", { name: objectName(index) }));
  page.release();
  const counts = { total: OBJECTS - DELETED, rewritten: OBJECTS - DELETED, gone: 0, remaining: 0 };
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts });
  expect(edited.hits()).toBe(1);
});
