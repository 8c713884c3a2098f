import { defineConfig } from "playwright/test";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  // Each has an API server and a dashboard.
  workers: 3,
  // Both for a machine whose cores are busy: a page that passes waits no longer for it.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  projects: [
    { name: "browser", testIgnore: "**/*.long.spec.ts" },
    { name: "long", testMatch: "**/*.long.spec.ts" },
  ],
  reporter: [["list"], ["json", { outputFile: "test-results/browser.json" }]],
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    // Not a trace, which takes as much of the cores as the browser: `--trace on` records one.
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
