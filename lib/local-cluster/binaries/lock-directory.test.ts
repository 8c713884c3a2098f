import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockDirectory } from "./lock-directory.ts";

async function directoryWithLock(content?: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-lock-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  if (content !== undefined) await writeFile(path.join(directory, "lock"), content);
  return directory;
}

test.each([
  ["no lock", undefined],
  ["the lock of a process that is gone", "999999999"],
  ["the lock of a stranger who got a dead holder's process id", String(process.ppid)],
  ["an unreadable lock", "?"],
])("a cluster's directory with %s can be locked", async (_, content) => {
  const directory = await directoryWithLock(content);
  expect(await lockDirectory(directory)).toBeUndefined();
  expect(await readFile(path.join(directory, "lock"), "utf8")).toBe(String(process.pid));
});
