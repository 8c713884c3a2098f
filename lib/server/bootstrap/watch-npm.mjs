import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const lookEveryMs = 500;
const shells = /(^|\/)-?(sh|ash|bash|dash|ksh|zsh|busybox)$/;
/** npm calls itself "npm start", and until then it is node with npm's file; so is what works as npm does. */
const runners = /(^|\/)(npm|npx|pnpm|yarn|yarnpkg|bun|corepack)(-cli|-[\d.]+)?(\.c?js)?( |$)/;

/**
 * Calls `onGone` once if npm, which started this process, is gone. npm runs scripts in a shell: a signal to npm may end that shell
 * without reaching its children, and if npm is killed, the shell stays. npm gives its scripts no pipe that would close.
 * @param {() => void} onGone
 * @returns {NodeJS.Timeout | undefined} to clear; undefined without npm
 */
export function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const shell = processInfo(parent);
  const isShell = shells.test(shell.name);
  // npm may end before this process looks, for example because it can't write its first line. Some shells give their place to the script.
  const wasGone = isAdopted(process.pid, processInfo(process.pid)) || (isShell && isAdopted(parent, shell));
  const isGone = () => wasGone || process.ppid !== parent || (isShell && !isAlive(shell.ppid));
  const watch = setInterval(() => {
    if (!isGone()) return;
    clearInterval(watch);
    onGone();
  }, lookEveryMs);
  return watch;
}

/**
 * Whether what started a process is gone, and the system has given the process another parent: process 1, which is npm itself in some
 * containers, or on Linux another one, of another session.
 * @param {number} pid
 * @param {ProcessInfo} process
 */
function isAdopted(pid, { ppid, session }) {
  if (ppid === 1) return !isNpm(commandOf(1));
  const hasOwnSession = session === pid;
  const parents = processInfo(ppid).session;
  return !hasOwnSession && ![0, session].includes(parents) && session !== 0;
}

/**
 * Whether these words are the command line of npm, or of what runs scripts as npm does.
 * @param {string[]} words
 */
export function isNpm(words) {
  return words.slice(0, 2).some((word) => runners.test(word));
}

/**
 * The words of a process's command line; none if that can't be found out.
 * @param {number} pid
 */
function commandOf(pid) {
  const file = `/proc/${pid}/cmdline`;
  try {
    if (existsSync(file)) return readFileSync(file, "utf8").split("\0");
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/);
  } catch {
    return [];
  }
}

/**
 * The name, parent and session of a process; without a name if that can't be found out, and 0 for a session that can't.
 * @param {number} pid
 * @returns {ProcessInfo}
 * @typedef {{ name: string, ppid: number, session: number }} ProcessInfo
 */
function processInfo(pid) {
  // Linux has this, but not always ps; macOS has only ps. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const stat = `/proc/${pid}/stat`;
  try {
    const [, known, parent, session] = existsSync(stat) ? (/\((.*)\) \S (\d+) \d+ (\d+)/s.exec(readFileSync(stat, "utf8")) ?? []) : [];
    if (known !== undefined) return { ppid: Number(parent), name: known, session: Number(session) };
    const [ppid, ...name] = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/);
    return { ppid: Number(ppid), name: name.join(" "), session: 0 };
  } catch {
    return { ppid: 0, name: "", session: 0 };
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
