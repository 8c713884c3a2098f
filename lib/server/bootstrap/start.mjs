import { build } from "./build.mjs";
import { node24 } from "./node24.mjs";
import { run } from "./run.mjs";
import { serverArguments } from "./server-arguments.mjs";

/**
 * Builds if the sources changed, then runs the server until it ends.
 * @param {string[]} args for the server
 * @returns {Promise<number>} the server's exit code
 */
export async function start(args) {
  await build();
  const { code } = await run(node24, [...serverArguments, ...args], { env: { NODE_ENV: "production" } });
  return code;
}
