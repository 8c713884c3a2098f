import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { readHistory } from "./read-history.ts";

// Without turns, one person's sixteen requests keep as many times five thousand Events.
test("one history of a person is read at a time, and an aborted one leaves its turn to the next", async () => {
  let asked = 0;
  const names = { plural: "crontabs", kind: "CronTab", singular: "crontab", listKind: "CronTabList" };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
  const definition = {
    metadata: { name: "crontabs.example.com", uid: "1", generation: 1, resourceVersion: "1" },
    ...{ spec: { group: "example.com", scope: "Namespaced", names, versions }, status: { storedVersions: ["v1"] } },
  };
  const on = await connectionTo("history", ({ url = "" }, response) => {
    if (url.includes("/events")) asked += 1;
    else if (url.includes("watch=")) return;
    else if (url.includes("/crontabs.example.com")) response.end(JSON.stringify(definition));
    else response.end(JSON.stringify({ metadata: { resourceVersion: "1" }, items: [definition] }));
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const one = readHistory(on, "crontabs.example.com", first.signal).catch((error: unknown) => error);
  const other = readHistory(on, "crontabs.example.com", second.signal).catch((error: unknown) => error);
  await expect.poll(() => asked).toBe(1);
  await setTimeout(50);
  expect(asked).toBe(1);
  first.abort(new Error("left"));
  expect(await one).toMatchObject({ message: "left" });
  await expect.poll(() => asked).toBe(2);
  second.abort(new Error("left, too"));
  expect(await other).toMatchObject({ message: "left, too" });
});
