import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { fleetOf } from "./fleet-of.ts";

const NAME = "widgets.example.com";
const definition = (uid: string, resourceVersion: string) => ({
  metadata: { name: NAME, uid, generation: 1, resourceVersion },
  spec: {
    ...{ group: "example.com", scope: "Namespaced", names: { plural: "widgets", kind: "Widget" } },
    versions: [{ name: "v1", served: true, storage: true }],
  },
  status: { storedVersions: ["v1"], conditions: [{ type: "Established", status: "True" }] },
});

// Without forget (upsert in start-fleet.ts) the new definition shows the objects of the old one, for a minute or until its count succeeds.
test("a definition that was created again doesn't show the object count of the one before", async () => {
  const recreated = new EventTarget();
  let isCountable = true;
  const connection = await connectionTo(`recreated-${randomUUID()}`, (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
    if (pathname.endsWith("/widgets")) {
      if (!isCountable) return;
      const items = [{ metadata: { name: "one", resourceVersion: "1" } }];
      return void response.end(JSON.stringify({ metadata: { resourceVersion: "1", continue: "more", remainingItemCount: 2 }, items }));
    }
    if (!pathname.endsWith("/customresourcedefinitions")) return void response.writeHead(404).end("{}");
    if (!query.has("watch")) {
      return void response.end(JSON.stringify({ metadata: { resourceVersion: "100" }, items: [definition("old", "99")] }));
    }
    response.writeHead(200).flushHeaders();
    void once(recreated, "yes").then(() => response.write(`${JSON.stringify({ type: "MODIFIED", object: definition("new", "102") })}\n`));
  });
  const fleet = fleetOf(connection);
  onTestFinished(() => fleet.stop());
  fleet.subscribe(() => {});
  await expect.poll(() => fleet.total(NAME).total, { timeout: 5_000 }).toBe(3);
  isCountable = false;
  recreated.dispatchEvent(new Event("yes"));
  await expect.poll(() => fleet.crd(NAME)?.uid).toBe("new");
  expect(fleet.total(NAME)).toMatchObject({ total: null, basis: "unknown" });
});
