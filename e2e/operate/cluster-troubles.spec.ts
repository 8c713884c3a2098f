import { parse, stringify } from "yaml";
import { CONTEXT, expect, expectAccessible, test, withKubeconfig } from "#e2e/fixtures.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";

interface KubeconfigFile {
  clusters: { name: string; cluster: { server: string } }[];
  contexts: { name: string; context: { cluster: string; user: string } }[];
  users: { name: string; user: { token: string } }[];
}

test("denied data and an unresponsive cluster are shown as such, never as zero", async ({
  page,
  cluster,
  api,
  staleDefinition,
  ownDashboard,
}) => {
  await staleDefinition(1);
  await api.create("/api/v1/namespaces/default/serviceaccounts", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "nobody" },
  });
  const { status } = await api.create<{ status: { token: string } }>("/api/v1/namespaces/default/serviceaccounts/nobody/token", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3_600 },
  });
  const more = (text: string) => {
    const config = parse(text) as KubeconfigFile;
    const [own] = config.clusters;
    config.users.push({ name: "nobody", user: { token: status.token } }, { name: "expired", user: { token: "expired" } });
    config.clusters.push({ name: "gone", cluster: { server: "https://127.0.0.1:1" } });
    config.contexts.push(
      { name: "denied", context: { cluster: own?.name ?? "", user: "nobody" } },
      { name: "signed-out", context: { cluster: own?.name ?? "", user: "expired" } },
      { name: "unreachable", context: { cluster: "gone", user: "nobody" } },
    );
    return stringify(config);
  };
  await withKubeconfig(cluster, more, async (kubeconfig) => {
    const dashboard = await ownDashboard({ KUBECONFIG: kubeconfig });
    await page.goto(`${dashboard.url}/clusters/denied`);
    await expect(page.getByRole("heading", { name: "You don't have permission to list CustomResourceDefinitions" })).toBeVisible();
    await page.getByText("ClusterRole and the cluster's answer").click();
    const answer = page.getByText(/cannot list resource "customresourcedefinitions"/);
    await expect(answer).toBeVisible();
    // Asking again, every five seconds, leaves open what is open.
    await page.waitForResponse(/\/api\/clusters\/denied\/crds/);
    await expect(answer).toBeVisible();
    await expectAccessible(page);

    await page.goto(`${dashboard.url}/clusters/signed-out`);
    await expect(page.getByText(/sign in/i).first()).toBeVisible();

    await page.goto(`${dashboard.url}/clusters/unreachable`);
    await expect(page.getByText("The cluster isn't responding").first()).toBeVisible();
    await expect(page.getByText(/ECONNREFUSED/).first()).toBeVisible();
    await expectAccessible(page);

    await page.goto(`${dashboard.url}/clusters/nonsense`);
    await expect(page.getByText(/no cluster/i).first()).toBeVisible();

    // The good one beside them is not affected.
    await page.goto(`${dashboard.url}/clusters/${encodeURIComponent(CONTEXT)}`);
    await expect(page.getByText("needs rewrite").first()).toBeVisible();
  });
});

test("an empty fleet says so; when its API server dies, the page says since when and keeps its data", async ({ page, ownDashboard }) => {
  const own = await startLocalCluster({ context: "mortal" });
  const dashboard = await ownDashboard({ KUBECONFIG: own.kubeconfig });
  try {
    await page.goto(`${dashboard.url}/clusters/mortal`);
    await expect(page.getByText("This cluster has no CustomResourceDefinitions")).toBeVisible();
    await expectAccessible(page);
    await own.stop();
    const banner = page.getByRole("status").filter({ hasText: /can't be reached/ });
    await expect(banner).toContainText(/Since \d/);
    await expectAccessible(page);
  } finally {
    await own.stop();
  }
});

test("when crdshift stops, the page says so and recovers automatically", async ({ page, cluster, staleDefinition, ownDashboard }) => {
  const definition = await staleDefinition(1);
  const first = await ownDashboard({ KUBECONFIG: cluster.kubeconfig });
  await page.goto(`${first.url}/clusters/${encodeURIComponent(CONTEXT)}`);
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: definition.name })).toBeVisible();
  await first.stop("SIGKILL");
  const banner = page.getByRole("status").filter({ hasText: "crdshift isn't responding" });
  await expect(banner).toContainText("Check that it is still running", { timeout: 60_000 });
  await expect(banner).not.toContainText("port-forward");
  await expect(page.getByRole("link", { name: definition.name })).toBeVisible();
  await ownDashboard({ KUBECONFIG: cluster.kubeconfig, PORT: new URL(first.url).port });
  await expect(banner).toBeHidden({ timeout: 40_000 });
  await expect(page.getByText("live", { exact: true })).toBeVisible({ timeout: 40_000 });
});

test("when a crdshift in a pod stops, the page shows the port-forward command for its address", async ({ page, cluster, ownDashboard }) => {
  const inPod = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_MODE: "local", KUBERNETES_SERVICE_HOST: "10.0.0.1" });
  await page.goto(`${inPod.url}/clusters/${encodeURIComponent(CONTEXT)}`);
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  // The session, a separate request, says that crdshift runs in a pod.
  await expect(page.getByRole("button", { name: "Account and theme" })).toHaveAttribute("title", "Local session");
  await inPod.stop("SIGKILL");
  const banner = page.getByRole("status").filter({ hasText: "crdshift isn't responding" });
  await expect(banner).toContainText(`port-forward service/crdshift ${new URL(inPod.url).port}:3000`, { timeout: 60_000 });
});

test("without its event stream, the page polls and still shows a change", async ({ page, pageUrl, staleDefinition, api }) => {
  const definition = await staleDefinition(1);
  await page.route("**/events", (route) => route.abort());
  await page.goto(pageUrl());
  await expect(page.getByText("polling", { exact: true })).toBeVisible();
  // Only a list that was seen longer can be seen to shrink.
  const row = page.getByRole("row").filter({ hasText: definition.name });
  await expect(row).toContainText("needs rewrite");
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await api.mergePatch(path, { status: { storedVersions: ["v1"] } }, { subresource: "status" });
  await expect(row).toContainText("blocked");
});

test("a hidden tab closes its event stream and reopens it when visible", async ({ page, pageUrl }) => {
  const streams: string[] = [];
  page.on("request", (request) => request.url().endsWith("/events") && streams.push("opened"));
  page.on("requestfailed", (request) => request.url().endsWith("/events") && streams.push("closed"));
  await page.goto(pageUrl());
  await expect.poll(() => streams).toEqual(["opened"]);
  const setVisibility = (state: string) =>
    page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  await setVisibility("hidden");
  await expect.poll(() => streams).toEqual(["opened", "closed"]);
  await setVisibility("visible");
  await expect.poll(() => streams).toEqual(["opened", "closed", "opened"]);
});
