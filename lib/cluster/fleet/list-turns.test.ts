import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { fleetOf } from "./fleet-of.ts";

// Without listInTurn (follow-crds.ts) a person with many tokens has as many lists in memory at once, and everyone else waits for seconds.
test("of one person's fleets, two list definitions at once, and nobody else's waits", async () => {
  const listing = new Map<string, ServerResponse>();
  const of = async (token: string, person: string): Promise<Connection> => {
    const connection = await connectionTo(token, ({ url = "" }, response) => {
      if (url.includes("watch=") || !url.includes("/customresourcedefinitions")) return;
      listing.set(token, response);
    });
    return { ...connection, person: () => person };
  };
  const tokens = ["one", "two", "three", "four"];
  const connections = [...(await Promise.all(tokens.map((token) => of(token, "mallory")))), await of("of Ada", "ada")];
  for (const connection of connections) {
    const fleet = fleetOf(connection);
    onTestFinished(() => fleet.stop());
  }
  const begun = () => [...listing.keys()].toSorted();
  await expect.poll(begun).toEqual(["of Ada", "one", "two"]);
  listing.get("one")?.end(JSON.stringify({ metadata: { resourceVersion: "1" }, items: [] }));
  await expect.poll(begun).toEqual(["of Ada", "one", "three", "two"]);
  // Whoever leaves doesn't keep the next from its turn.
  const [, second] = connections;
  if (second) fleetOf(second).stop();
  await expect.poll(begun).toEqual(["four", "of Ada", "one", "three", "two"]);
});
