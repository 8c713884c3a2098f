import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { keepTotals } from "./keep-totals.ts";

/** Definitions of this name and number. Nothing of theirs is due again within a minute. */
function definitions(count: number, plural: string, changes: Partial<Crd> = {}): Crd[] {
  return Array.from({ length: count }, (_, index) =>
    sampleCrd({
      name: `${plural}${index}.example.com`,
      plural: `${plural}${index}`,
      uid: `${plural}${index}`,
      storedVersions: ["v1"],
      ...changes,
    }),
  );
}

/** Keeps the totals of these definitions, which the server answers like this. Tells which were asked for, and the most at a time. */
async function keep(all: Crd[], answer: (plural: string, response: ServerResponse) => void) {
  const asked: string[] = [];
  let [open, most] = [0, 0];
  const connection = await connectionTo("totals", ({ url }, response) => {
    const plural = /\/v1\/([^?/]+)\?/.exec(url ?? "")?.[1];
    if (!plural) return void response.writeHead(404).end();
    asked.push(plural);
    open += 1;
    most = Math.max(most, open);
    response.on("close", () => {
      open -= 1;
    });
    answer(plural, response);
  });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const crds = new Map(all.map((crd) => [crd.name, crd]));
  const totals = keepTotals({ connection, crds, isWanted: () => true, onChange() {}, signal: stop.signal });
  return { asked, totals, most: () => most };
}

function three(response: ServerResponse): void {
  const metadata = { resourceVersion: "1", continue: "more", remainingItemCount: 2 };
  response.end(JSON.stringify({ metadata, items: [{ metadata: { name: "one", resourceVersion: "1" } }] }));
}

// Without a lane of their own (keep-totals.ts), forty definitions whose webhook hangs delay all totals by five minutes.
test("definitions whose webhook hangs delay the totals of no others", async () => {
  const hanging = definitions(40, "hanging", { conversion: { strategy: "Webhook", target: "svc" } });
  const healthy = definitions(10, "healthy");
  const { totals, most } = await keep([...hanging, ...healthy], (plural, response) => {
    if (plural.startsWith("healthy")) three(response);
  });
  const counts = () => healthy.map(({ name }) => totals.get(name).total);
  await expect.poll(counts, { timeout: 5_000 }).toEqual(Array(10).fill(3));
  // Three without a webhook, and two with one.
  expect(most()).toBeLessThanOrEqual(5);
});

// Without the lane of those that failed, they take all places of their row a second time, for as long.
test("definitions whose last count failed delay the totals of no others", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const failing = definitions(40, "failing");
  const healthy = definitions(10, "healthy");
  let isHanging = false;
  const { asked } = await keep([...failing, ...healthy], (plural, response) => {
    if (plural.startsWith("healthy")) three(response);
    else if (!isHanging) response.writeHead(500).end();
  });
  const askedFor = (plural: string) => asked.filter((one) => one.startsWith(plural)).length;
  await expect.poll(() => asked.length, { timeout: 5_000 }).toBe(50);
  isHanging = true;
  const askedMuchLater = () => {
    vi.setSystemTime(Date.now() + 70_000);
    return askedFor("healthy");
  };
  await expect.poll(askedMuchLater, { timeout: 10_000, interval: 200 }).toBeGreaterThanOrEqual(30);
  expect(askedFor("failing")).toBe(42);
});

// Without an order by the last try (keep-totals.ts), the same ten are counted again and again.
test("of those whose last count failed, each gets its turn", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const failing = definitions(15, "failing");
  const { asked } = await keep(failing, (_, response) => {
    // By the end of a row, its first are due again.
    vi.setSystemTime(Date.now() + 61_000);
    response.writeHead(500).end();
  });
  await expect.poll(() => asked.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(45);
  const times = [...Map.groupBy(asked.slice(0, 45), (plural) => plural).values()].map(({ length }) => length);
  expect(times).toHaveLength(15);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(2);
});
