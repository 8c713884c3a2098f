import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { launchLink } from "#lib/sign-in/launch-link.ts";
import { tellLaunchLink } from "./tell-launch-link.ts";

test.runIf(process.platform === "linux")(
  "the command that opens a browser does not have the launch secret among its arguments",
  async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "crdshift-opener-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const told = path.join(directory, "arguments");
    await writeFile(path.join(directory, "xdg-open"), `#!/bin/sh\necho "$@" > ${told}.new && mv ${told}.new ${told}\n`, { mode: 0o700 });
    vi.stubEnv("PATH", `${directory}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    await tellLaunchLink({ open: true });

    const opened = await vi.waitFor(async () => (await readFile(told, "utf8")).trim(), { timeout: 5_000 });
    const secret = launchLink().split("#launch=")[1] ?? "";
    expect(secret.length).toBeGreaterThan(40);
    expect(opened).not.toContain(secret);
    expect(await readFile(fileURLToPath(opened), "utf8")).toContain(secret);
    // No other user may read it.
    expect((await stat(fileURLToPath(opened))).mode & 0o077).toBe(0);
    await rm(path.dirname(fileURLToPath(opened)), { recursive: true });
  },
);
