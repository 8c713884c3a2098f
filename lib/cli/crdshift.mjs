#!/usr/bin/env node
// Runs from dist/ on Node 20 or later, under any linked name.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { node24 } from "#lib/server/bootstrap/node24.mjs";

/** The lowest Node version that @kubernetes/client-node supports. */
const needed = [22, 19];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isOld = major < needed[0] || (major === needed[0] && minor < needed[1]);
const { main } = await import("#lib/cli/main.ts");
await main(isOld ? handOver : null);

/** Runs this again, under the same name, on the Node that the dependencies install. */
async function handOver() {
  const node = fileURLToPath(new URL(`../${node24}`, import.meta.url));
  if (!existsSync(node)) {
    console.error(`crdshift needs Node ${needed.join(".")} or later; this is ${process.versions.node}.`);
    console.error(
      `Upgrade Node, or install the dependencies, which include it: run npm install in ${fileURLToPath(new URL("..", import.meta.url))}`,
    );
    return 1;
  }
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => child.kill(signal));
  /** @type {[number | null, NodeJS.Signals | null]} */
  const [code, signal] = await once(child, "exit");
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}
