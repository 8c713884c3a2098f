import { defineConfig } from "vitest/config";

const slower = ["**/*.integration.test.ts", "**/*.long.test.ts"];
const pure = ["lib/domain/**/*.test.ts", "lib/contract/**/*.test.ts", "components/**/*.test.ts"];
const notOurs = ["**/node_modules/**", "**/.next/**"];

// What is waited for takes longer than a second, Vitest's default, where the API servers have two busy cores.
const patient = { poll: { timeout: 20_000 } };

export default defineConfig({
  test: {
    // The log of every action, where nothing failed.
    silent: "passed-only",
    projects: [
      {
        test: {
          name: "unit-pure",
          include: pure,
          exclude: [...notOurs, ...slower],
          pool: "forks",
          // They mock nothing and keep nothing, so that files may share modules: importing takes longer than testing.
          isolate: false,
        },
      },
      {
        test: {
          name: "unit",
          include: ["**/*.test.ts"],
          exclude: [...notOurs, ...slower, ...pure],
          pool: "forks",
        },
      },
      {
        test: {
          name: "integration",
          include: ["**/*.integration.test.ts"],
          exclude: notOurs,
          pool: "forks",
          // Each with an API server; most of a test's time is waiting.
          maxWorkers: 3,
          globalSetup: "./lib/local-cluster/vitest-global-setup.ts",
          expect: patient,
          testTimeout: 120_000,
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
          maxWorkers: 2,
          globalSetup: "./lib/local-cluster/vitest-global-setup.ts",
          expect: patient,
          testTimeout: 900_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
