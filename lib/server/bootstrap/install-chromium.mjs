import { existsSync } from "node:fs";
import { runStep } from "./run-step.mjs";

const chromium = "/usr/bin/chromium";

/** Installs Debian's Chromium for the browser tests if it is missing. */
export async function installChromium() {
  if (existsSync(chromium)) return;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    throw new Error(`The browser tests need ${chromium}. Install it (on Debian, as root: apt-get install chromium) and try again.`);
  }
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const whatToDo = "Install Chromium yourself (apt-get install chromium) and try again.";
  await runStep("Reading Debian's package lists", "apt-get", ["update"], { env, whatToDo });
  const args = ["install", "-y", "--no-install-recommends", "chromium"];
  await runStep("Installing Chromium for the browser tests", "apt-get", args, { env, whatToDo });
}
