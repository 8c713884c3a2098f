import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { migrationFromJson, readMigrationsOf } from "./list-migrations.ts";

test("what a migration says of itself turns no text, and a time beyond the year 9999 is none", () => {
  const migration = (lastTransitionTime: string) =>
    migrationFromJson("in-tree", {
      metadata: { name: "m", uid: "u", creationTimestamp: "2026-01-02T12:00:00Z" },
      spec: { resource: { group: "example.com", resource: "crontabs" } },
      status: { conditions: [{ type: "Failed", status: "True", message: "\u202edenied", lastTransitionTime }] },
    });
  expect(migration("2026-01-02T12:00:01Z")).toMatchObject({ phase: "failed", message: "\uFFFDdenied", since: "2026-01-02T12:00:01Z" });
  expect(migration("10000-01-01T22:59:59Z")).toMatchObject({ phase: "failed", since: null });
});

// A definition of that name may allow them empty; reading all took 1.4 s.
test("half a million conditions hold nobody up", async () => {
  const json = {
    metadata: { name: "m", uid: "u", creationTimestamp: "2026-01-02T12:00:00Z" },
    spec: { resource: { group: "example.com", resource: "crontabs" } },
    status: { conditions: [{ type: "Failed", status: "True", message: "denied" }, ...Array.from({ length: 500_000 }, () => ({}))] },
  };
  const { longest, result } = await whileWatched(async () => migrationFromJson("in-tree", json));
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result).toMatchObject({ phase: "failed", message: "denied" });
});

// With the bound of the page's list, whoever may create migrations hides one at work behind twenty thousand others.
test("a migration that decides is found behind any number of others", async () => {
  const made = (name: string, resource: string) => ({
    metadata: { name, uid: name, creationTimestamp: "2026-01-02T12:00:00Z" },
    spec: { resource: { group: "example.com", resource } },
    status: { conditions: [{ type: "Running", status: "True" }] },
  });
  const all = [...Array.from({ length: 25_000 }, (_, index) => made(`a-${index}`, "widgets")), made("z", "crontabs")];
  const connection = await connectionTo("many-migrations", (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.startsWith("/apis/storagemigration.k8s.io")) {
      response.statusCode = 404;
      return response.end("{}");
    }
    if (pathname.endsWith(".k8s.io")) return response.end(JSON.stringify({ versions: [{ version: "v1" }] }));
    if (pathname.endsWith("/v1")) return response.end(JSON.stringify({ resources: [{ name: "storageversionmigrations" }] }));
    const [limit, from] = [Number(query.get("limit")), Number(query.get("continue"))];
    const next = from + limit < all.length && { continue: String(from + limit) };
    response.end(JSON.stringify({ metadata: { ...next }, items: all.slice(from, from + limit) }));
  });
  const { migrations } = await readMigrationsOf(connection, "crontabs.example.com", AbortSignal.timeout(60_000));
  expect(migrations).toMatchObject([{ name: "z", phase: "running" }]);
});
