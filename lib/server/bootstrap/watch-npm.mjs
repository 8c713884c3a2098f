import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const lookEveryMs = 500;
const shells = /(^|\/)-?(sh|ash|bash|dash|ksh|zsh|busybox)$/;

/**
 * Calls `onGone` once if npm, which started this process, is gone. npm runs scripts in a shell: a signal to npm may end that shell
 * without reaching its children, and if npm is killed, the shell stays. npm gives its scripts no pipe that would close.
 * @param {() => void} onGone
 * @returns {NodeJS.Timeout | undefined} to clear; undefined without npm
 */
export function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const { name, ppid: npm } = processInfo(parent);
  const isGone = () => process.ppid !== parent || (shells.test(name) && !isAlive(npm));
  const watch = setInterval(() => {
    if (!isGone()) return;
    clearInterval(watch);
    onGone();
  }, lookEveryMs);
  return watch;
}

/**
 * The name and parent of a process; without a name if that can't be found out.
 * @param {number} pid
 */
function processInfo(pid) {
  // Linux has this, but not always ps; macOS has only ps. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const stat = `/proc/${pid}/stat`;
  try {
    const [, known, parent] = existsSync(stat) ? (/\((.*)\) \S (\d+)/s.exec(readFileSync(stat, "utf8")) ?? []) : [];
    if (known !== undefined) return { ppid: Number(parent), name: known };
    const [ppid, ...name] = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/);
    return { ppid: Number(ppid), name: name.join(" ") };
  } catch {
    return { ppid: 0, name: "" };
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
