import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hashSources } from "./hash-sources.mjs";
import { node24 } from "./node24.mjs";
import { runStep } from "./run-step.mjs";

const stamp = ".next/crdshift-sources";

/** Builds the pages, the route handlers and the server in front of them, unless the last build used the same sources. */
export async function build() {
  const sources = hashSources(process.cwd());
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === sources) return;
  rmSync(stamp, { force: true });
  await runStep("Building the pages", node24, ["node_modules/next/dist/bin/next", "build"], {
    // Without this, Next would edit package-lock.json if a package for this platform is missing.
    env: { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", NEXT_IGNORE_INCORRECT_LOCKFILE: "1" },
  });
  await runStep("Sharing duplicate chunks", node24, ["lib/server/build/share-chunks-main.ts"]);
  await runStep("Building the server", node24, ["node_modules/.bin/rolldown", "--config", "rolldown.server.config.ts"]);
  writeFileSync(stamp, sources);
}
