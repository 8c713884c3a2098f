import { request } from "node:http";
import { CONTEXT, expect, runEnd, test } from "#e2e/fixtures.ts";
import { startedRewriteSchema } from "#lib/contract/rewrite/run.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";
import { readEvents } from "#lib/server/testing/read-events.ts";

/** GET /metrics as Prometheus asks for it: by the pod's address, without signing in. */
function scrape(url: string, host = "10.1.2.3:3000"): Promise<{ status: number | undefined; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/metrics`, { headers: { host } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, type: response.headers["content-type"] ?? "", text }));
    });
    asked.on("error", reject).end();
  });
}

test("when enabled, metrics cover a rewrite in progress and the users watching", async ({ cluster, ownDashboard, staleDefinition }) => {
  const definition = await staleDefinition(20);
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_METRICS: "on", CRDSHIFT_SETTLE_SECONDS: "0" });
  const clusterUrl = `${dashboard.url}/api/clusters/${encodeURIComponent(CONTEXT)}`;
  const value = async (series: string) => {
    const { text } = await scrape(dashboard.url);
    const line = text.split("\n").find((one) => one.startsWith(`${series} `));
    return line === undefined ? null : Number(line.split(" ").at(-1));
  };
  const { status, type, text } = await scrape(dashboard.url);
  expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  expect(text).not.toContain(definition.group);

  const looking = new AbortController();
  const events = readEvents(`${clusterUrl}/events`, looking.signal);
  await events.next();
  expect(await value("crdshift_event_stream_clients")).toBe(1);

  const rewrites = `${clusterUrl}/crds/${definition.name}/rewrites`;
  const headers = { "content-type": "application/json" };
  const started = await askDashboard(rewrites, { method: "POST", headers, body: JSON.stringify({ maxPerSecond: 2 }) });
  const { id } = startedRewriteSchema.parse(await started.json());
  await expect.poll(() => value('crdshift_runs{phase="rewriting"}'), { intervals: [100] }).toBe(1);
  await expect.poll(() => value("crdshift_rewrite_objects_per_second"), { intervals: [100] }).toBeGreaterThan(1);
  await runEnd(`${rewrites}/${id}`);
  expect(await value('crdshift_objects_total{outcome="rewritten"}')).toBe(20);
  expect(await value('crdshift_objects_total{outcome="already_current"}')).toBe(20);
  expect(await value('crdshift_api_requests_total{method="PATCH",code="200"}')).toBeGreaterThanOrEqual(20);
  expect(await value('crdshift_api_request_duration_seconds_bucket{method="PATCH",le="30"}')).toBeGreaterThanOrEqual(20);
  await expect.poll(() => value("crdshift_watch_age_seconds"), { intervals: [100] }).toBeGreaterThan(1);
  expect(await value("crdshift_watch_age_seconds")).toBeLessThan(90);
  await expect.poll(() => value('crdshift_runs{phase="rewriting"}')).toBe(0);

  looking.abort();
  await expect.poll(() => value("crdshift_event_stream_clients")).toBe(0);
  const told = (await scrape(dashboard.url)).text;
  for (const name of [definition.group, definition.plural, definition.name, CONTEXT, cluster.server]) expect(told).not.toContain(name);
});

test("when disabled, there is no metrics page, and another Host is refused as everywhere", async ({ dashboard }) => {
  expect((await scrape(dashboard.url, "localhost")).status).toBe(404);
  expect((await scrape(dashboard.url)).status).toBe(403);
});
