import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

/** The compiled command line, of the sources as they are. */
export const cliFile = path.resolve("dist/crdshift.mjs");

/** Compiles the command line, as `npm run build:cli` does. */
export async function buildCli(): Promise<void> {
  await promisify(execFile)(process.execPath, ["node_modules/.bin/rolldown", "--config", "rolldown.config.ts"]);
}
