import { request as httpRequest } from "node:http";
import { parse, stringify } from "yaml";
import { expect, expectAccessible, test, withKubeconfig } from "#e2e/fixtures.ts";
import { errorBodySchema } from "#lib/contract/error.ts";
import type { LocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { askDashboard, scriptHeaders } from "#lib/server/testing/ask-dashboard.ts";

interface KubeconfigFile {
  clusters: { name: string; cluster: { server: string } }[];
  contexts: { name: string; context: { cluster: string; user: string } }[];
  users: { name: string; user: { token: string } }[];
}

const GOOD = ["p%2Fq", "100%", "a b+c?d#e"];
const DEAD = "p/q";
const REFUSED = "signed out";

/** Calls `use` with a kubeconfig in which names that decode into each other are different clusters. */
function withOddNames(cluster: LocalCluster, use: (kubeconfig: string) => Promise<void>): Promise<void> {
  const change = (text: string) => {
    const config = parse(text) as KubeconfigFile;
    const own = config.contexts[0]?.context ?? { cluster: "", user: "" };
    config.clusters.push({ name: "dead", cluster: { server: "https://127.0.0.1:1" } });
    config.users.push({ name: "expired", user: { token: "expired" } });
    for (const name of GOOD) config.contexts.push({ name, context: own });
    config.contexts.push({ name: DEAD, context: { cluster: "dead", user: own.user } });
    config.contexts.push({ name: REFUSED, context: { cluster: own.cluster, user: "expired" } });
    return stringify(config);
  };
  return withKubeconfig(cluster, change, use);
}

test("a page and its data belong to the named context, whatever its name decodes to", async ({
  page,
  cluster,
  staleDefinition,
  ownDashboard,
}) => {
  const definition = await staleDefinition(1);
  await withOddNames(cluster, async (kubeconfig) => {
    const { url } = await ownDashboard({ KUBECONFIG: kubeconfig });
    for (const name of GOOD) {
      const path = `/clusters/${encodeURIComponent(name)}`;
      await page.goto(url + path);
      await expect(page).toHaveTitle(`${name} · crdshift`);
      await expect(page.getByRole("button", { name: `Cluster ${name}` })).toBeVisible();
      await page.getByRole("link", { name: definition.name }).click();
      await expect(page).toHaveURL(`${url}${path}/crds/${definition.name}`);
      await expect(page.getByRole("button", { name: "Rewrite", exact: true })).toBeVisible();
      await page.reload();
      await expect(page.getByRole("button", { name: "Rewrite", exact: true })).toBeVisible();
      await expect(page).toHaveTitle(`${definition.name} · crdshift`);
    }
  });
});

test("a cluster that never answered shows no data time, and every unusable context says why", async ({ page, cluster, ownDashboard }) => {
  await withOddNames(cluster, async (kubeconfig) => {
    const { url } = await ownDashboard({ KUBECONFIG: kubeconfig });
    await page.goto(`${url}/clusters/${encodeURIComponent(DEAD)}`);
    await expect(page).toHaveTitle(`${DEAD} · crdshift`);
    await expect(page.getByText("The cluster isn't responding").first()).toBeVisible();
    const banner = page.getByRole("status").filter({ hasText: /can't be reached/ });
    await expect(banner).toContainText(/Since \d/);
    await expect(banner).not.toContainText("Data from");

    await page.getByRole("button", { name: `Cluster ${DEAD}` }).click();
    await expect(page.getByRole("menuitem").filter({ hasText: REFUSED })).toContainText("credentials refused");
    await expect(page.getByRole("menuitem").filter({ hasText: DEAD })).toContainText("unreachable");
    await expect(page.getByRole("menuitem").filter({ hasText: "100%" })).toContainText("v1.");
  });
});

test("an unknown context offers the others, and a missing page links to its parent", async ({
  page,
  cluster,
  staleDefinition,
  ownDashboard,
}) => {
  const definition = await staleDefinition(1);
  await withOddNames(cluster, async (kubeconfig) => {
    const { url } = await ownDashboard({ KUBECONFIG: kubeconfig });
    await page.goto(`${url}/clusters/p%252`);
    await expect(page.getByRole("heading", { name: "No context with this name" })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("list", { name: "Contexts" }).getByRole("link", { name: "p%2Fq", exact: true }).click();
    await expect(page.getByRole("link", { name: definition.name })).toBeVisible();

    await page.goto(`${url}/clusters/100%25/crds/${definition.name}/rewrites/nothing`);
    await expect(page.getByRole("heading", { name: /^Not found/ })).toBeVisible();
    await page.getByRole("link", { name: "Go to the definition", exact: true }).click();
    await expect(page).toHaveURL(`${url}/clusters/100%25/crds/${definition.name}`);

    await page.goto(`${url}/clusters/100%25/crds/nothing.example.com`);
    await page.getByRole("link", { name: "Go to all definitions" }).click();
    await expect(page).toHaveURL(`${url}/clusters/100%25`);
  });
});

test("unknown paths and methods return errors in the usual shape, and a malformed request is refused", async ({ dashboard, apiUrl }) => {
  const refusal = async (url: string, method: string) => {
    const response = await askDashboard(url, { method, headers: { "content-type": "application/json" } });
    return { status: response.status, ...errorBodySchema.parse(await response.json()).error };
  };
  for (const path of ["/api/nothing", "/api", "/api/clusters/a/nothing/at/all"]) {
    for (const method of ["GET", "POST"]) {
      expect(await refusal(dashboard.url + path, method), `${method} ${path}`).toMatchObject({ status: 404, code: "not_found" });
    }
  }
  expect(await refusal(apiUrl("/crds"), "POST")).toMatchObject({ status: 405, code: "request_refused", nextStep: expect.any(String) });
  expect(await refusal(`${dashboard.url}/api/health`, "DELETE")).toMatchObject({ status: 405, code: "request_refused" });

  const icon = await fetch(`${dashboard.url}/favicon.ico`);
  expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);

  expect(await statusOf(dashboard.url, { path: "http://evil.example.com/api/health" })).toBe(400);
  expect(await statusOf(dashboard.url, { path: "/api/health", headers: ["Host", "localhost", "Host", "evil.example.com"] })).toBe(400);
});

test("a body without a length is refused, and the client can read that, however much it sends", async ({ apiUrl }) => {
  const url = new URL(apiUrl("/crds/nothing.example.com/rewrites"));
  let sentBytes = 0;
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = httpRequest(url, { method: "POST", headers: { ...scriptHeaders, "content-type": "application/json" } }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    for (; sentBytes < 3 * 1024 * 1024; sentBytes += 64 * 1024) sent.write(" ".repeat(64 * 1024));
    sent.end();
  });
  expect(answer.status).toBe(411);
  expect(errorBodySchema.parse(JSON.parse(answer.text)).error.code).toBe("request_refused");
});

function statusOf(url: string, options: { path: string; headers?: string[] }): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = httpRequest({ hostname, port, ...options }, (response) => {
      resolve(response.statusCode);
      response.destroy();
    });
    sent.on("error", reject);
    sent.end();
  });
}
