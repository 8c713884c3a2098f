import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

const API_VERSION = "client.authentication.k8s.io/v1";

/** An exec plugin of a kubeconfig, for this test. Its token is always taken for expired, so that each renewal runs it. */
export interface SlowPlugin {
  exec: object;
  /** From now on, it waits as if for a person. */
  wait(): Promise<void>;
  go(): Promise<void>;
  /** How often it was run. */
  runs(): Promise<number>;
}

export async function slowPlugin(token: string): Promise<SlowPlugin> {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-plugin-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const [command, waits, log] = ["plugin", "waits", "log"].map((file) => path.join(directory, file)) as [string, string, string];
  const status = { token, expirationTimestamp: "2020-01-01T00:00:00Z" };
  const credential = JSON.stringify({ apiVersion: API_VERSION, kind: "ExecCredential", status });
  const script = `#!/bin/sh\necho run >> ${log}\nwhile [ -e ${waits} ]; do sleep 0.05; done\necho '${credential}'\n`;
  await writeFile(command, script, { mode: 0o755 });
  await writeFile(log, "");
  return {
    exec: { apiVersion: API_VERSION, command, args: [], interactiveMode: "Never" },
    wait: () => writeFile(waits, ""),
    go: () => rm(waits),
    runs: async () => (await readFile(log, "utf8")).split("\n").length - 1,
  };
}
