import { spawnSync } from "node:child_process";
import type { Page } from "playwright/test";
import { CONTEXT, expect, expectAccessible, test } from "#e2e/fixtures.ts";
import { createUser } from "#lib/cluster/testing/create-user.ts";
import { serverArguments } from "#lib/server/bootstrap/start.mjs";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";
import { newestSignInLink } from "#lib/server/testing/sign-in-browser.ts";

// Everybody here begins without a cookie.
test.use({ storageState: { cookies: [], origins: [] } });
test.beforeEach(({ context }) => context.clearCookies());

const isOnFleet = (page: Page) => expect(page).toHaveURL(new RegExp(`/clusters/${encodeURIComponent(CONTEXT)}$`));

test("the sign-in link signs in one browser, once; signing out ends it, also for a copy of the cookie", async ({
  page,
  context,
  browser,
  cluster,
  ownDashboard,
}) => {
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig });
  await page.goto(`${dashboard.url}/clusters/${encodeURIComponent(CONTEXT)}/engines`);
  await expect(page).toHaveURL(/\/sign-in\?from=/);
  await expect(page.getByText(/link/i).first()).toBeVisible();
  await expectAccessible(page);

  const link = newestSignInLink(dashboard.output());
  await page.goto(link);
  await isOnFleet(page);
  expect(page.url()).not.toContain("launch");
  await expect.poll(() => newestSignInLink(dashboard.output())).not.toBe(link);

  const other = await browser.newContext();
  const second = await other.newPage();
  await second.goto(link);
  await expect(second.getByText("The link was already used, or is from an earlier start.")).toBeVisible();
  await other.close();

  const stolen = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const asked = () => fetch(`${dashboard.url}/api/clusters`, { headers: { cookie: stolen } });
  expect((await asked()).status).toBe(200);
  await page.getByRole("button", { name: "Account and theme" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  expect(await context.cookies()).toEqual([]);
  expect((await asked()).status).toBe(401);
  expect((await askDashboard(`${dashboard.url}/api/clusters`)).status).toBe(200);
});

test("a cluster token signs in with its own permissions, and a token that the cluster rejects gets a next step", async ({
  page,
  api,
  cluster,
  ownDashboard,
}) => {
  const crds = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get", "list", "watch"] };
  const user = await createUser(api, [crds]);
  try {
    const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_MODE: "token" });
    await page.goto(`${dashboard.url}/`);
    await expect(page).toHaveURL(/\/sign-in/);
    await expect(page.getByRole("main")).toContainText(`Sign in to ${CONTEXT}, with a token for that cluster.`);
    await expect(page.getByLabel("Bearer token")).toBeFocused();
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "Paste a token first." })).toBeVisible();
    await expect(page.getByLabel("Bearer token")).toBeFocused();
    await page.getByLabel("Bearer token").fill("not-a-token");
    await expect(page.getByText("Paste a token first.")).toBeHidden();
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText("The cluster rejected the token.")).toBeVisible();
    await expectAccessible(page);

    await page.getByLabel("Bearer token").fill(` Bearer ${user.token}\n`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await isOnFleet(page);
    await page.getByRole("button", { name: "Account and theme" }).click();
    const menu = page.getByRole("menu");
    await expect(menu.getByText(user.name.split(":").at(-1) ?? "", { exact: true })).toBeVisible();
    await expect(menu.getByText("service account in namespace default")).toBeVisible();
    await expect(menu.getByText("Your rewrites continue until your token expires")).toBeVisible();
    await page.keyboard.press("Escape");

    await user.revoke();
    // What is in memory is shown until the cluster has been asked again, half a minute at most.
    await expect(page).toHaveURL(/\/sign-in\?from=.*&ended=token-refused$/, { timeout: 75_000 });
    await expect(page.getByText("The cluster no longer accepts your token.")).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign in");
    await expectAccessible(page);
  } finally {
    await user.remove();
  }
});

test("after twenty wrong tokens within a minute, sign-ins are refused, and the answer says how long", async ({ cluster, ownDashboard }) => {
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_MODE: "token" });
  const signIn = (token: string) =>
    fetch(`${dashboard.url}/api/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: dashboard.url },
      body: JSON.stringify({ token }),
    });
  for (let wrong = 0; wrong < 20; wrong += 1) expect((await signIn(`wrong-${wrong}`)).status).toBe(401);
  const refused = await signIn(cluster.token);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { code: "too_many_requests", nextStep: expect.stringMatching(/^Wait \d+ s/) } });
});

test("crdshift does not start without a sign-in mode, or with one that it can't enforce", () => {
  const start = (env: Record<string, string>) => {
    const { status, stderr } = spawnSync(process.execPath, [...serverArguments, "--no-open"], {
      env: { ...process.env, PORT: "0", KUBECONFIG: "", HOME: "/nonexistent", ...env },
      encoding: "utf8",
      timeout: 60_000,
    });
    return { status, stderr };
  };
  const unchosen = start({ CRDSHIFT_CONTAINER: "1", HOST: "0.0.0.0" });
  expect(unchosen.status).toBe(1);
  for (const mode of ["CRDSHIFT_MODE", "token", "unsafe-shared-readonly", "local"]) expect(unchosen.stderr).toContain(mode);
  expect(start({ HOST: "0.0.0.0" }).stderr).toContain("not loopback");
  expect(start({ CRDSHIFT_MODE: "token", CRDSHIFT_SESSION_KEYS: "short" }).stderr).toContain("openssl rand -base64 32");
});
