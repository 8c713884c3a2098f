import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launchLink, onNewLaunchLink } from "#lib/sign-in/launch-link.ts";

/** Enough time for the browser to read the page. */
const OPENED_WITHIN_MS = 30_000;

/** Prints the launch link, and a new one each time one is used; opens the first if `open` is set. */
export async function tellLaunchLink({ open }: { open: boolean }): Promise<void> {
  const link = launchLink();
  onNewLaunchLink((next) => console.log(`The link was used. To sign in another browser: ${next}`));
  console.log(`Sign in (works once): ${link}`);
  if (open) await openInBrowser(link);
}

// Uses a file that only this user can read, since every user of the machine sees process arguments.
async function openInBrowser(link: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "crdshift-launch-"));
  const file = join(directory, "open.html");
  await writeFile(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}"><a href="${link}">crdshift</a>`, {
    mode: 0o600,
  });
  const command = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  // Without a browser, there is still the printed link.
  execFile(command, [pathToFileURL(file).href], () => {});
  setTimeout(() => void rm(directory, { recursive: true, force: true }), OPENED_WITHIN_MS).unref();
}
