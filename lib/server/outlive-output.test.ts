import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const server = new URL(".", import.meta.url).pathname;
const packages = JSON.stringify({ name: "sample", type: "module", packages: { "": {} } });
/** Takes longer than it takes until progress is shown. */
const npm = `#!/bin/sh
sleep 3
echo "no registry"
exit 3
`;

// Without outliveOutput (bootstrap.mjs) the first line of progress that can't be written ends `npm start` with an unhandled error.
test("npm start goes on where its output can't be written, and says why it failed", async () => {
  const root = await mkdtemp(path.join(tmpdir(), "crdshift-starter-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const copied = ["bootstrap", "bootstrap.mjs", "outlive-output.mjs"];
  for (const name of copied) await cp(path.join(server, name), path.join(root, "lib/server", name), { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) await writeFile(path.join(root, name), packages);
  await writeFile(path.join(root, "npm"), npm);
  await chmod(path.join(root, "npm"), 0o755);
  const child = spawn(process.execPath, [path.join(root, "lib/server/bootstrap.mjs"), "start"], {
    env: { ...process.env, PATH: `${root}:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.destroy();
  const [told, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(told).toMatch(/^no registry\n\nInstalling the dependencies failed \(exit code 3\)\./);
  expect(code).toBe(1);
});
