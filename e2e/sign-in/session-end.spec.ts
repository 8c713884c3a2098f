import { randomBytes } from "node:crypto";
import type { Page } from "playwright/test";
import { CONTEXT, expect, expectAccessible, test } from "#e2e/fixtures.ts";
import { newestSignInLink, signInBrowser } from "#lib/server/testing/sign-in-browser.ts";

// Everybody here begins without a cookie.
test.use({ storageState: { cookies: [], origins: [] } });
test.beforeEach(({ context }) => context.clearCookies());

const FLEET = `/clusters/${encodeURIComponent(CONTEXT)}`;
const crds = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get", "list", "watch"] };
const signOut = async (page: Page) => {
  await page.getByRole("button", { name: "Account and theme" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
};

test("signing out signs out every tab, which say so; a sign-in link in one returns the others to their pages", async ({
  page,
  context,
  cluster,
  ownDashboard,
}) => {
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig });
  const deep = `${dashboard.url}${FLEET}/engines?x=y#speed`;
  await page.goto(deep);
  await expect(page.getByRole("heading", { name: "Open the link that crdshift printed" })).toBeVisible();
  await expect(page.getByText("this page continues automatically")).toBeVisible();

  const other = await context.newPage();
  await other.goto(newestSignInLink(dashboard.output()));
  await expect(page).toHaveURL(deep);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();

  await expect(other).toHaveURL(new RegExp(`${FLEET}$`));
  await signOut(other);
  await expect(page.getByText("You signed out in another tab or browser.")).toBeVisible();
  await expect(page).toHaveURL(/\/sign-in\?from=.*%23speed&ended=signed-out$/);
  await expectAccessible(page);
  await other.goto(newestSignInLink(dashboard.output()));
  await expect(page).toHaveURL(deep);
});

test("a restarted crdshift tells users whose sign-in has ended, and no made-up reason is shown", async ({
  page,
  context,
  cluster,
  ownDashboard,
}) => {
  const start = (PORT: string) =>
    ownDashboard({ KUBECONFIG: cluster.kubeconfig, PORT, CRDSHIFT_SESSION_KEYS: randomBytes(32).toString("base64") });
  const before = await start("0");
  await context.addCookies(await signInBrowser(before));
  await page.goto(`${before.url}${FLEET}`);
  await expect(page.getByRole("table", { name: "Definitions" }).or(page.getByText("has no CustomResourceDefinitions"))).toBeVisible();
  await before.stop();
  const { url } = await start(new URL(before.url).port);
  await expect(page).toHaveURL(/\/sign-in\?from=.*&ended=other-key$/, { timeout: 60_000 });
  await expect(page.getByText("crdshift has restarted since you signed in.")).toBeVisible();

  await context.clearCookies();
  const main = page.getByRole("main");
  const open = async (query: string) => {
    await page.goto(`${url}/sign-in${query}`);
    await expect(main.getByRole("heading", { level: 1 })).toHaveText("Open the link that crdshift printed");
    return main.textContent();
  };
  const plain = await open("");
  expect(await open("?ended=signed-out")).not.toBe(plain);
  for (const ended of ["nonsense", "<b>Hello</b>", "toString"]) expect(await open(`?ended=${encodeURIComponent(ended)}`)).toBe(plain);
});

test("the last five minutes of a sign-in show without a layout shift, and a fresh token signs in again", async ({
  page,
  context,
  api,
  userDashboard,
}) => {
  const { user, dashboard } = await userDashboard([crds]);
  // No API server gives out a token that ends this soon.
  let leftMs = 8 * 3_600_000;
  await page.route("**/api/session", async (route) => {
    const response = await route.fetch();
    const until = new Date(Date.now() + leftMs).toISOString();
    await route.fulfill({ response, json: { ...(await response.json()), until, tokenUntil: until } });
  });
  await page.goto(`${dashboard.url}${FLEET}/engines`);
  const heading = page.getByRole("heading", { level: 1 });
  const place = async () => (await heading.boundingBox())?.y;
  const before = await place();
  const warning = page.getByText("Your session ends at");
  await expect(warning).toBeHidden();
  leftMs = 4 * 60_000;
  await page.reload();
  await expect(warning).toContainText(/ends at \d\d:\d\d \(in 4 min\)\. Your rewrites will be interrupted; you can resume them\./);
  await expect(warning).toBeInViewport();
  // At the end of the screen, though the page is shorter or longer than that.
  expect((await warning.boundingBox())?.y).toBeGreaterThan(850);
  await expect.poll(place).toBe(before);
  await expectAccessible(page);
  await page.unroute("**/api/session");

  const cookies = await context.cookies();
  const fresh = `/api/v1/namespaces/default/serviceaccounts/${user.name.split(":").at(-1)}/token`;
  const { status } = await api.create<{ status: { token: string } }>(fresh, { spec: {} });
  await page.getByRole("link", { name: "Sign in again" }).click();
  await expect(page.getByRole("heading", { name: "Sign in with another token" })).toBeVisible();
  await page.getByLabel("Bearer token").fill(status.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(`${dashboard.url}${FLEET}/engines`);
  expect(await context.cookies()).not.toEqual(cookies);
  await expect(heading).toBeVisible();
  await expect(warning).toBeHidden();
});

test("an account without permissions sees who it is, what it lacks and how to grant it, and continues once granted", async ({
  page,
  staleDefinition,
  userDashboard,
}) => {
  const definition = await staleDefinition(1);
  const { user, dashboard } = await userDashboard([]);
  const account = user.name.split(":").at(-1);
  for (const path of [FLEET, `${FLEET}/crds/${definition.name}`]) {
    await page.goto(`${dashboard.url}${path}`);
    const main = page.getByRole("main");
    await expect(main.getByRole("heading", { level: 1 })).toHaveText("You don't have permission to list CustomResourceDefinitions");
    await expect(main).toContainText(`The cluster knows you as service account ${account} in namespace default.`);
    await expect(main).toContainText(
      `kubectl create clusterrolebinding crdshift-viewer-default-${account} --clusterrole=crdshift-viewer --serviceaccount=default:${account}`,
    );
    await expect(page.getByRole("banner").getByText("denied")).toBeVisible();
    await expect(page.getByText("You don't have permission to list")).toHaveCount(1);
    await expect(page.getByText("stale")).toHaveCount(0);
    await expectAccessible(page);
  }
  await page.getByRole("link", { name: "Sign in as another user" }).click();
  await expect(page.getByRole("heading", { name: "Sign in with another token" })).toBeVisible();
  await page.getByRole("link", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("You don't have permission to list CustomResourceDefinitions");
  await user.grant([crds]);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(definition.plural, { timeout: 60_000 });
  await expect(page.getByRole("banner").getByText("live")).toBeVisible();
});
