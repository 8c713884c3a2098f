import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type Page } from "playwright/test";
import { type CreatedUser, createUser } from "#lib/cluster/testing/create-user.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import type { KubernetesRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { createDefinition, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";
import { type BrowserCookie, signInBrowser, signInWith } from "#lib/server/testing/sign-in-browser.ts";
import { type Dashboard, type DashboardEnv, startDashboard } from "#lib/server/testing/start-dashboard.ts";

/** A context name as cloud providers make them, and worse: every page and route must work with it. */
export const CONTEXT = "arn:aws:eks:eu-west-1:1:cluster/a b";

interface WorkerFixtures {
  /** Whether the cluster has kube-controller-manager, and so its own engine; false unless a file sets it. */
  controllerManager: boolean;
  /** The cluster's release of Kubernetes, if a file sets it. */
  release: KubernetesRelease | undefined;
  cluster: LocalCluster;
  /** The administrator, apart from the product. */
  api: ApiClient;
  dashboard: Dashboard;
  /** What signs a browser in to every dashboard of the worker's. */
  cookies: BrowserCookie[];
}

interface TestFixtures {
  /** A definition whose objects were created at v1beta1 before v1 became the storage version. */
  staleDefinition(count: number): Promise<SampleDefinition>;
  /** Like it, with v1 as `v1` says and objects as `spec` says. */
  definitionWith(options: {
    count: number;
    v1: Omit<SampleVersion, "name" | "storage">;
    v1beta1?: Omit<SampleVersion, "name" | "storage">;
    spec: (index: number) => object;
  }): Promise<SampleDefinition>;
  /** A route of the HTTP surface, below the cluster. */
  apiUrl(path: string): string;
  /** A page of the cluster. */
  pageUrl(path?: string): string;
  /** A dashboard of the test's own, ended with it. */
  ownDashboard(env: DashboardEnv): Promise<Dashboard>;
  /** A user with no permissions but these, and a dashboard in token mode that the browser is signed in to as that user alone. */
  userDashboard(rules: object[]): Promise<{ user: CreatedUser; dashboard: Dashboard }>;
  /** Fails the test on a CSP violation or an uncaught error in any page of its. */
  cleanConsole: undefined;
}

const before: SampleVersion[] = [{ name: "v1" }, { name: "v1beta1", storage: true }];
const after: SampleVersion[] = [{ name: "v1", storage: true }, { name: "v1beta1" }];

export const test = base.extend<TestFixtures, WorkerFixtures>({
  controllerManager: [false, { scope: "worker", option: true }],
  release: [undefined, { scope: "worker", option: true }],
  cluster: [
    async ({ controllerManager, release }, use) => {
      const cluster = await startLocalCluster({ context: CONTEXT, controllerManager, ...(release && { release }) });
      await use(cluster);
      await cluster.stop();
    },
    { scope: "worker", timeout: 600_000 },
  ],
  api: [
    async ({ cluster }, use) => {
      const api = apiClient(cluster);
      await use(api);
      api.close();
    },
    { scope: "worker" },
  ],
  dashboard: [
    async ({ cluster }, use) => {
      const dashboard = await startDashboard({ KUBECONFIG: cluster.kubeconfig });
      await use(dashboard);
      await dashboard.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  cookies: [async ({ dashboard }, use) => use(await signInBrowser(dashboard)), { scope: "worker" }],
  async context({ context, cookies }, use) {
    await context.addCookies(cookies);
    await use(context);
  },
  async staleDefinition({ api }, use) {
    const made: SampleDefinition[] = [];
    await use(async (count) => {
      const definition = await createDefinition(api, before);
      made.push(definition);
      await definition.createObjects("v1beta1", count);
      await definition.flip(after);
      return definition;
    });
    for (const definition of made) await definition.remove();
  },
  async definitionWith({ api }, use) {
    const made: SampleDefinition[] = [];
    await use(async ({ count, v1, v1beta1, spec }) => {
      const definition = await createDefinition(api, [{ name: "v1" }, { name: "v1beta1", storage: true, ...v1beta1 }]);
      made.push(definition);
      await definition.createObjects("v1beta1", count, spec);
      await definition.flip([
        { name: "v1", storage: true, ...v1 },
        { name: "v1beta1", ...v1beta1 },
      ]);
      return definition;
    });
    for (const definition of made) await definition.remove();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies of a fixture from this pattern.
  async ownDashboard({}, use) {
    const started: Dashboard[] = [];
    await use(async (env) => {
      const dashboard = await startDashboard(env);
      started.push(dashboard);
      return dashboard;
    });
    for (const dashboard of started) await dashboard.stop("SIGKILL");
  },
  async userDashboard({ api, cluster, context, ownDashboard }, use) {
    const users: CreatedUser[] = [];
    await use(async (rules) => {
      const user = await createUser(api, rules);
      users.push(user);
      const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_MODE: "token" });
      await context.clearCookies();
      await context.addCookies(await signInWith(dashboard.url, { token: user.token }));
      return { user, dashboard };
    });
    for (const user of users) await user.remove();
  },
  async apiUrl({ dashboard }, use) {
    await use((path) => `${dashboard.url}/api/clusters/${encodeURIComponent(CONTEXT)}${path}`);
  },
  async pageUrl({ dashboard }, use) {
    await use((path = "") => `${dashboard.url}/clusters/${encodeURIComponent(CONTEXT)}${path}`);
  },
  cleanConsole: [
    async ({ context }, use) => {
      const problems: string[] = [];
      context.on("weberror", (error) => problems.push(String(error.error())));
      context.on("console", (message) => {
        if (/Content Security Policy|hydrat/i.test(message.text())) problems.push(message.text());
      });
      await use(undefined);
      expect(problems).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Reads a run until it has ended. */
export async function runEnd(url: string): Promise<Run> {
  const read = async () => (await (await askDashboard(url)).json()) as Run;
  await expect.poll(async () => (await read()).endedAt, { timeout: 60_000, intervals: [100] }).not.toBeNull();
  return read();
}

/** Calls `use` with a kubeconfig like the cluster's, changed as text; it is removed afterwards. */
export async function withKubeconfig(
  cluster: LocalCluster,
  change: (text: string) => string,
  use: (file: string) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "crdshift-e2e-"));
  try {
    const file = join(directory, "kubeconfig");
    await writeFile(file, change(await readFile(cluster.kubeconfig, "utf8")), { mode: 0o600 });
    await use(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Presses Rewrite on the page, and again in the dialog that says what is known of it. */
export async function startRewrite(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Rewrite", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rewrite", exact: true }).click();
}

/** The run whose page is open, as the server has it. */
export async function openRun(page: Page, apiUrl: (path: string) => string): Promise<Run> {
  const [, path] = /(\/crds\/.*)$/.exec(new URL(page.url()).pathname) ?? [];
  return (await (await askDashboard(apiUrl(path ?? ""))).json()) as Run;
}

/** Fails with the elements concerned when axe finds anything against WCAG 2.2 A and AA on the page as it is. */
export async function expectAccessible(page: Page): Promise<void> {
  // What a scroll has left half under the header is no target that is too small.
  await page.evaluate(() => window.scrollTo(0, 0));
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  // The first line of a failure names them, wherever the rest of it is cut.
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html, failureSummary }) => `${id}: ${target.join(" ")}: ${html}: ${failureSummary}`),
  );
  if (found.length > 0) throw new Error(`axe found ${found.join("\n")}`);
}

/** A request that starts a rewrite. With losses accepted, it makes no dry run first. */
export function startAtOnce(options: { maxPerSecond?: number } = {}): { method: string; headers: Record<string, string>; body: string } {
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify({ acceptUnseen: true, ...options }) };
}
