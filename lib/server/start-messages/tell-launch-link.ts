import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launchLink, onNewLaunchLink } from "#lib/sign-in/launch-link.ts";

/** The browser has read the page by then. */
const OPENED_WITHIN_MS = 30_000;

/** Prints the link that signs a browser in, and the next one each time one is used; opens it where `open` says so. */
export async function tellLaunchLink({ open }: { open: boolean }): Promise<void> {
  const link = launchLink();
  onNewLaunchLink((next) => console.log(`The link was used. For another browser: ${next}`));
  console.log(`Sign in, once: ${link}`);
  if (open) await openInBrowser(link);
}

// By way of a file that only this user can read: every user of the machine sees the arguments of a process.
async function openInBrowser(link: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "crdshift-launch-"));
  const file = join(directory, "open.html");
  await writeFile(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}"><a href="${link}">crdshift</a>`, {
    mode: 0o600,
  });
  const command = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  // Whoever has no browser here has the printed link.
  execFile(command, [pathToFileURL(file).href], () => {});
  setTimeout(() => void rm(directory, { recursive: true, force: true }), OPENED_WITHIN_MS).unref();
}
