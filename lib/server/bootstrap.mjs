// The only code that runs on the system's Node (20 or later) and without node_modules: it installs missing dependencies, then
// hands over to the Node 24 among them.
import { install } from "./bootstrap/install.mjs";
import { runTests } from "./bootstrap/run-tests.mjs";
import { start } from "./bootstrap/start.mjs";
import { outliveOutput } from "./outlive-output.mjs";

const usage = `Usage:
  npm start [-- [--demo] [--reset]]
  npm test [-- unit | integration | browser | static]
  npm run test:fast
  npm run test:long
  npm run test:versions`;

outliveOutput();
const [command, ...args] = process.argv.slice(2);
try {
  if (command !== "start" && command !== "test") throw new Error(usage);
  process.chdir(new URL("../..", import.meta.url).pathname);
  await install({ developing: command === "test" });
  process.exitCode = command === "start" ? await start(args) : await runTests(args);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
