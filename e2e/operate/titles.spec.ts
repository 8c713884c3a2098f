import { expect, test } from "#e2e/fixtures.ts";

declare global {
  interface Window {
    titles: string[];
  }
}

test("from page to page, the document is never without a title", async ({ page, dashboard, staleDefinition }) => {
  const { name } = await staleDefinition(1);
  await page.goto(dashboard.url);
  await expect(page.getByRole("link", { name }).first()).toBeVisible();
  const fleet = await page.title();
  await page.evaluate(() => {
    window.titles = [document.title];
    const note = () => {
      if (window.titles.at(-1) !== document.title) window.titles.push(document.title);
    };
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
  });

  const definition = `${name} · crdshift`;
  const open = async (title: string, go: () => Promise<unknown>) => {
    await go();
    await expect(page).toHaveTitle(title);
  };
  await open(definition, () => page.getByRole("link", { name }).first().click());
  await open(fleet, () => page.goBack());
  await open(definition, () => page.goForward());
  await open("Engines · crdshift", () => page.getByRole("link", { name: "Engines" }).first().click());

  expect(await page.evaluate(() => window.titles)).toEqual([fleet, definition, fleet, definition, "Engines · crdshift"]);
});
