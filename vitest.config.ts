import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const slower = ["**/*.integration.test.ts", "**/*.long.test.ts"];
const notOurs = ["**/node_modules/**", "**/.next/**"];

/** The tests that replace modules, or load them anew: other files must not get those. */
const ownModules = globSync("{app,components,lib}/**/*.test.ts").filter((file) =>
  /\bvi\.(?:mock|doMock|resetModules)\(/.test(readFileSync(file, "utf8")),
);

// What is waited for takes longer than a second, Vitest's default, where API servers and a build have two busy cores.
const patient = { poll: { timeout: 20_000 } };

// Vitest leaves a core idle, which is half of two. A test that starts programs takes seconds where all cores are busy.
const onAllCores = { maxWorkers: "100%", testTimeout: 90_000, expect: patient };

// The tests are the API server's only clients, and most need no settle wait.
const noSlowRequests = { CRDSHIFT_SETTLE_SECONDS: "0" };

export default defineConfig({
  test: {
    // The log of every action, where nothing failed.
    silent: "passed-only",
    projects: [
      {
        test: {
          name: "unit",
          include: ["**/*.test.ts"],
          exclude: [...notOurs, ...slower, ...ownModules],
          pool: "forks",
          // Files share modules, since importing takes longer than testing; each leaves them as it found them.
          isolate: false,
          setupFiles: "./lib/process-wide/testing/forget-process-wide.ts",
          ...onAllCores,
        },
      },
      {
        test: { name: "unit-own-modules", include: ownModules, exclude: slower, pool: "forks", ...onAllCores },
      },
      {
        test: {
          name: "integration",
          include: ["**/*.integration.test.ts"],
          exclude: notOurs,
          pool: "forks",
          // A fifth of the workers' time went into importing the same modules for each file.
          isolate: false,
          setupFiles: ["./lib/process-wide/testing/forget-process-wide.ts", "./lib/rewrite/testing/bench/leave-nothing-at-work.ts"],
          // Each with an API server; most of a test's time is waiting.
          maxWorkers: 3,
          globalSetup: "./lib/local-cluster/testing/vitest-global-setup.ts",
          env: noSlowRequests,
          expect: patient,
          // Room for several of a test's waits where all cores are busy.
          testTimeout: 400_000,
          // The first start builds the cluster's programs.
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "long",
          include: ["**/*.long.test.ts"],
          exclude: notOurs,
          pool: "forks",
          // Most of a test's time is waiting, and one takes ten minutes.
          maxWorkers: 3,
          globalSetup: "./lib/local-cluster/testing/vitest-global-setup.ts",
          env: noSlowRequests,
          expect: patient,
          testTimeout: 900_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
