import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

const API_VERSION = "client.authentication.k8s.io/v1";

/** An exec plugin of a kubeconfig, for this test. */
export interface SlowPlugin {
  exec: object;
  /** From now on, it waits as if for a person. */
  wait(): Promise<void>;
  go(): Promise<void>;
  /** From now on, it answers with this token. */
  answer(token: string): Promise<void>;
  /** How often it was run. */
  runs(): Promise<number>;
}

/** By default, its token is always taken for expired, so that each renewal runs it; null: the answer doesn't say when it expires. */
export async function slowPlugin(token: string, expiresAt: string | null = "2020-01-01T00:00:00Z"): Promise<SlowPlugin> {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-plugin-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const inDirectory = (file: string) => path.join(directory, file);
  const [command, waits, log, credential] = [inDirectory("plugin"), inDirectory("waits"), inDirectory("log"), inDirectory("credential")];
  const answer = (current: string) => {
    const status = { token: current, ...(expiresAt && { expirationTimestamp: expiresAt }) };
    return writeFile(credential, JSON.stringify({ apiVersion: API_VERSION, kind: "ExecCredential", status }));
  };
  const script = `#!/bin/sh\necho run >> ${log}\nwhile [ -e ${waits} ]; do sleep 0.05; done\ncat ${credential}\n`;
  await writeFile(command, script, { mode: 0o755 });
  await answer(token);
  await writeFile(log, "");
  return {
    exec: { apiVersion: API_VERSION, command, args: [], interactiveMode: "Never" },
    wait: () => writeFile(waits, ""),
    go: () => rm(waits),
    answer,
    runs: async () => (await readFile(log, "utf8")).split("\n").length - 1,
  };
}
