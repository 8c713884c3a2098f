import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { CONTEXT, expect, test, withKubeconfig } from "#e2e/fixtures.ts";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { createUser } from "#lib/cluster/testing/create-user.ts";
import { createDefinition, objectName } from "#lib/local-cluster/sample-definition.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";
import { type BrowserCookie, signInWith } from "#lib/server/testing/sign-in-browser.ts";

const cluster64 = encodeURIComponent(CONTEXT);
const asBrowser = { "sec-fetch-site": "same-origin", "content-type": "application/json" };
const cookieHeader = (cookies: BrowserCookie[]) => cookies.map(({ name, value }) => `${name}=${value}`).join("; ");

/** What answers without a sign-in: whether it lives, and the way in. */
const OPEN = ["/api/health", "/api/ready", "/api/session", "/api/sign-in", "/api/sign-out"];

/** The HTTP surface as it was built. */
async function builtPaths(): Promise<string[]> {
  const routes: Record<string, string> = JSON.parse(await readFile(".next/app-path-routes-manifest.json", "utf8"));
  const paths = Object.entries(routes)
    .filter(([file]) => file.endsWith("/route") && file.startsWith("/api/"))
    .map(([, path]) => path.replace("/[[...path]]", "/nothing").replaceAll(/\[[^\]]+\]/g, "x"));
  expect(paths.length).toBeGreaterThan(30);
  return paths;
}

for (const mode of ["local", "token"] as const) {
  test(`every route of the build answers 401 without a sign-in in ${mode}, with any method, and with made-up cookies and tokens`, async ({
    cluster,
    ownDashboard,
  }) => {
    const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_MODE: mode });
    const madeUp = [{}, { cookie: "crdshift-test-s.0=forged" }, { authorization: "Bearer forged-token-0123456789" }];
    for (const path of (await builtPaths()).filter((path) => !OPEN.includes(path))) {
      const answers = new Set<number>();
      for (const method of ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"]) {
        for (const signedIn of madeUp) {
          const response = await fetch(`${dashboard.url}${path}`, { method, headers: { ...asBrowser, ...signedIn } });
          answers.add(response.status);
          const text = await response.text();
          if (response.status === 401 && method !== "HEAD")
            expect(JSON.parse(text), path).toMatchObject({ error: { code: "unauthenticated", details: { signIn: true } } });
        }
      }
      // A method that the route does not have says so to everybody.
      expect(answers.difference(new Set([405])), path).toEqual(new Set([401]));
    }
    for (const path of OPEN.slice(0, 3)) expect((await fetch(`${dashboard.url}${path}`)).status, path).toBe(200);
  });
}

test("a thousand interleaved requests of two users with different permissions: each sees their own, and a third sees nothing", async ({
  api,
  cluster,
  ownDashboard,
}) => {
  const [theirs, other] = [
    await createDefinition(api, [{ name: "v1", storage: true }]),
    await createDefinition(api, [{ name: "v1", storage: true }]),
  ];
  await Promise.all([theirs.createObjects("v1", 3), other.createObjects("v1", 5)]);
  const crds = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get", "list", "watch"] };
  const mayList = (group: string) => ({ apiGroups: [group], resources: ["*"], verbs: ["get", "list"] });
  const [one, two, nobody] = [
    await createUser(api, [crds, mayList(theirs.group)]),
    await createUser(api, [crds, mayList(other.group)]),
    await createUser(api, []),
  ];
  try {
    const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_MODE: "token" });
    const crdsUrl = `${dashboard.url}/api/clusters/${cluster64}/crds`;
    const cookie = cookieHeader(await signInWith(dashboard.url, { token: two.token }));
    // By header and by cookie: both ways in are the person's own.
    const people = [
      { headers: { authorization: `Bearer ${one.token}` }, sees: theirs, count: 3 },
      { headers: { cookie }, sees: other, count: 5 },
    ];
    const indexes = Array.from({ length: 1_000 }, (_, index) => index);
    // As many at once as a busy machine accepts connections for.
    await forEachConcurrently(indexes, { concurrency: 200, signal: AbortSignal.timeout(120_000) }, async (index) => {
      const person = people[index % 2];
      if (!person) throw new Error("nobody");
      const definition = index % 4 < 2 ? theirs : other;
      const response = await fetch(`${crdsUrl}/${definition.name}/object-counts`, { headers: person.headers });
      const text = await response.text();
      const isTheirs = definition === person.sees;
      expect(text).toContain(isTheirs ? `"total":${person.count}` : "forbidden");
      if (!isTheirs) expect(text).not.toMatch(/"total":\d/);
    });
    const refused = await fetch(crdsUrl, { headers: { authorization: `Bearer ${nobody.token}` } });
    expect(refused.status).toBe(403);
    expect(await refused.text()).not.toContain(theirs.group);
    expect((await fetch(crdsUrl)).status).toBe(401);
    expect((await fetch(crdsUrl, { headers: { authorization: "Bearer nobodys", cookie } })).status).toBe(401);
  } finally {
    for (const user of [one, two, nobody]) await user.remove();
    await Promise.all([theirs.remove(), other.remove()]);
  }
});

test("in read-only mode, no route can change anything, and reading still works", async ({
  page,
  cluster,
  ownDashboard,
  staleDefinition,
}) => {
  const definition = await staleDefinition(1);
  const before = await definition.read();
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_READ_ONLY: "true", CRDSHIFT_PROTECTED: "*.example.com" });
  const crd = `${dashboard.url}/api/clusters/${cluster64}/crds/${definition.name}`;
  const own = (path: string) => path.replace("/clusters/x/crds/x", `/clusters/${cluster64}/crds/${definition.name}`);
  for (const path of (await builtPaths()).filter((path) => !OPEN.includes(path)).map(own)) {
    for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
      const response = await askDashboard(`${dashboard.url}${path}`, {
        method,
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      expect([path, method, response.status]).toEqual([path, method, 404]);
      expect(await response.text()).toContain("read-only");
    }
  }
  expect((await askDashboard(crd)).status).toBe(200);
  expect(await definition.read()).toEqual(before);
  await page.goto(`${dashboard.url}/clusters/${cluster64}/crds/${definition.name}`);
  await expect(page.getByText("Read only. You can't change anything here.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Rewrite", exact: true })).toBeDisabled();
  await expect(page.getByText("Protected by *.example.com.")).toBeVisible();
  await page.getByRole("link", { name: "Remove v1beta1," }).click();
  const storage = page.getByRole("listitem").filter({ hasText: "No object is stored as v1beta1" });
  await expect(storage).toContainText("ready, but crdshift is read-only");
});

test("the shared account reads for everyone, says so on every page, and writes for no one", async ({
  browser,
  cluster,
  ownDashboard,
  staleDefinition,
}) => {
  const definition = await staleDefinition(1);
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_MODE: "unsafe-shared-readonly" });
  await expect.poll(() => dashboard.output()).toContain("Warning: anyone who can reach this address reads the cluster");
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${dashboard.url}/clusters/${cluster64}/crds/${definition.name}`);
  await expect(page.getByText("Read only. Everyone who can reach this address uses one shared account.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Rewrite", exact: true })).toBeDisabled();
  const crd = `${dashboard.url}/api/clusters/${cluster64}/crds/${definition.name}`;
  expect((await fetch(`${crd}/rewrites`, { method: "POST", headers: asBrowser, body: "{}" })).status).toBe(404);
  await context.close();
});

test("an API server that redirects is an error, and nothing, least of all a token, is sent to the target", async ({
  cluster,
  ownDashboard,
}) => {
  const seen: IncomingHttpHeaders[] = [];
  const target = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ metadata: { resourceVersion: "1" }, items: [] }));
  });
  const hits: (string | undefined)[] = [];
  const redirecting = createServer((request, response) => {
    hits.push(request.headers.authorization);
    const { port } = target.address() as AddressInfo;
    response.writeHead(307, { location: `http://127.0.0.1:${port}/stolen` }).end();
  });
  for (const server of [target, redirecting]) await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = redirecting.address() as AddressInfo;
  await withKubeconfig(
    cluster,
    (text) =>
      text
        .replaceAll(/server: .*/g, `server: http://127.0.0.1:${port}`)
        .replaceAll(/certificate-authority-data: .*/g, "insecure-skip-tls-verify: true"),
    async (kubeconfig) => {
      for (const env of [{}, { CRDSHIFT_MODE: "token" }] as const) {
        const dashboard = await ownDashboard({ KUBECONFIG: kubeconfig, ...env });
        const url = `${dashboard.url}/api/clusters/${cluster64}/crds`;
        const response = await ("CRDSHIFT_MODE" in env
          ? fetch(url, { headers: { authorization: "Bearer a-persons-token" } })
          : askDashboard(url));
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(hits.splice(0)).toContainEqual(expect.stringMatching(/^Bearer /));
      }
    },
  );
  expect(seen).toEqual([]);
  for (const server of [target, redirecting]) server.close();
});

test("strings from the cluster are inert: links, HTML, bidi, a megabyte, __proto__", async ({ page, api, pageUrl }) => {
  const hostile = [
    '<img src=x onerror="window.pwned=1">',
    "javascript:window.pwned=1",
    "\u202Egnp.exe",
    "</script><script>window.pwned=1</script>",
  ];
  const definition = await createDefinition(api, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  try {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
    await api.mergePatch(path, {
      metadata: {
        annotations: { "crdshift.dev/rewrite": hostile.join(" "), "example.com/x": hostile.join(" ") },
        labels: { "app.kubernetes.io/managed-by": "Helm" },
      },
    });
    const spec = { html: hostile[0], link: hostile[1], bidi: hostile[2], script: hostile[3], long: "x".repeat(1_000_000) };
    await definition.createObjects("v1", 1, () => ({ ...spec, ["__proto__"]: { polluted: true } }));
    await page.goto(pageUrl(`/crds/${definition.name}`));
    await expect(page.getByRole("heading", { level: 1 })).toContainText(definition.plural);
    await page.goto(pageUrl(`/crds/${definition.name}/objects`));
    await expect(page.getByRole("main")).toContainText("object");
    await page.locator(`a[href*="/objects/${objectName(0)}"]`).click();
    await expect(page.getByRole("main")).toContainText("onerror");
    expect(await page.evaluate(() => "pwned" in window || "polluted" in {})).toBe(false);
    expect(await page.locator('a[href^="javascript:"], img[src="x"]').count()).toBe(0);
  } finally {
    await definition.remove();
  }
});

// Closed while the rest of the body arrives, the connection is reset before the client reads the answer.
test("a body of 11 MB is answered 413, which the client can read", async ({ cluster, ownDashboard }) => {
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig });
  for (let turn = 0; turn < 5; turn++) {
    const body = "x".repeat(11_000_000);
    const response = await fetch(`${dashboard.url}/api/sign-in`, { method: "POST", headers: asBrowser, body });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "too_large", nextStep: "Send a smaller body." } });
  }
});
