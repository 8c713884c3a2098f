import type { Page } from "playwright/test";
import { CONTEXT, expect, runEnd, test } from "#e2e/fixtures.ts";
import { startTcpProxy, type TcpProxy } from "#lib/cluster/testing/start-tcp-proxy.ts";
import { type Run, runSchema, startedRewriteSchema } from "#lib/contract/rewrite/run.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

const OBJECTS = 1_500;
/** Slow enough to be at work all the time, for two minutes. */
const PER_SECOND = 12;
const SAID_WITHIN_MS = 20_000;
const BACK_WITHIN_MS = 40_000;

const cuts: Record<string, (proxy: TcpProxy) => void> = {
  "is refused": (proxy) => proxy.cut({ refuse: true }),
  "swallows everything without ending": (proxy) => proxy.swallow(),
};

// Without checkContact (liveness.tsx) a page whose connections swallow everything says nothing, and never comes back.
for (const [how, cut] of Object.entries(cuts)) {
  test(`the connection to crdshift ${how}: the run continues, and the page says so and recovers automatically`, async ({
    page,
    cluster,
    staleDefinition,
    ownDashboard,
  }) => {
    const definition = await staleDefinition(OBJECTS);
    const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_SETTLE_SECONDS: "0" });
    const proxy = await startTcpProxy(dashboard.url);
    const path = `/clusters/${encodeURIComponent(CONTEXT)}/crds/${definition.name}/rewrites`;
    const rewrites = `${dashboard.url}/api${path}`;
    try {
      const started = await askDashboard(rewrites, sending("POST", { acceptUnseen: true, maxPerSecond: PER_SECOND }));
      const { id } = startedRewriteSchema.parse(await started.json());
      const now = async (): Promise<Run> => runSchema.parse(await (await askDashboard(`${rewrites}/${id}`)).json());
      await page.goto(`${proxy.server}${path}/${id}`);
      await expect(page.getByText("live", { exact: true })).toBeVisible();
      await expect.poll(() => shownDone(page)).toBeGreaterThan(0);
      await page.evaluate(() => Object.assign(window, { notReloaded: true }));

      cut(proxy);
      const banner = page.getByRole("status").filter({ hasText: "crdshift isn't responding" });
      await expect(banner).toBeVisible({ timeout: SAID_WITHIN_MS });
      await expect(banner).toContainText(/Data from \d/);
      const kept = await shownDone(page);
      const atCut = (await now()).counts.rewritten;
      await expect.poll(async () => (await now()).counts.rewritten).toBeGreaterThan(atCut + 2 * PER_SECOND);
      expect(await shownDone(page)).toBe(kept);

      proxy.pass();
      await expect(banner).toBeHidden({ timeout: BACK_WITHIN_MS });
      await expect(page.getByText("live", { exact: true })).toBeVisible({ timeout: BACK_WITHIN_MS });
      await expect.poll(async () => (await now()).counts.rewritten - (await shownDone(page))).toBeLessThan(2 * PER_SECOND);
      await askDashboard(`${rewrites}/${id}`, sending("PATCH", { maxPerSecond: null }));
      expect((await runEnd(`${rewrites}/${id}`)).phase).toBe("succeeded");
      await expect(page.getByText(`All ${OBJECTS.toLocaleString("en-US")} objects are stored as v1.`).first()).toBeVisible();
      expect(await page.evaluate(() => "notReloaded" in window)).toBe(true);
    } finally {
      proxy.close();
    }
  });
}

function sending(method: "POST" | "PATCH", body: object): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** How many objects the page says are done. */
async function shownDone(page: Page): Promise<number> {
  const of = ` of ${OBJECTS.toLocaleString("en-US")}`;
  const text = await page.locator("p").filter({ hasText: of }).first().textContent();
  return Number(text?.split(of)[0]?.replaceAll(",", ""));
}
