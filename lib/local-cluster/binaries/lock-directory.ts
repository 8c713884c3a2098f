import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const waitMs = 3_000;
const pollMs = 100;

/**
 * Locks `directory` for this process with a file "lock" that contains its process id. Returns undefined on success, otherwise the id
 * of the process that holds the lock, after waiting three seconds for it to end.
 */
export async function lockDirectory(directory: string): Promise<number | undefined> {
  const file = path.join(directory, "lock");
  const deadline = performance.now() + waitMs;
  while (true) {
    const isOurs = await writeFile(file, String(process.pid), { flag: "wx", mode: 0o600 }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
        throw error;
      },
    );
    if (isOurs) return undefined;
    const holder = Number(await readFile(file, "utf8").catch(() => "0"));
    if (!(await isSupervisor(holder))) await rm(file, { force: true });
    else if (performance.now() > deadline) return holder;
    else await sleep(pollMs);
  }
}

/** Whether the process is alive and, if the system can tell, not another program that reuses a dead holder's process id. */
async function isSupervisor(pid: number): Promise<boolean> {
  try {
    if (pid <= 0) return false;
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  return commandLine === undefined || commandLine.includes("supervisor.ts");
}
