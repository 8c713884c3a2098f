import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { stringify } from "yaml";
import type { Etcd } from "#lib/local-cluster/etcd.ts";
import type { TestCluster } from "#lib/local-cluster/testing/vitest-global-setup.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

export interface ContextToChoose {
  name: string;
  /** The test's cluster if not given. */
  server?: string;
  /** The administrator's token if not given. */
  token?: string;
  /** Where the token is, in place of it. */
  tokenFile?: string;
  /** A plugin that gets it, in place of it: as in a kubeconfig. */
  exec?: object;
  /** An HTTP proxy that leads there, as a URL. */
  proxy?: string;
  /** PEM; the one that verifies the test's cluster if not given. "any" verifies nothing, for a server that gets another certificate. */
  authority?: string;
}

type ReachedCluster = Pick<TestCluster, "server" | "token" | "caFile">;

/** From now on, and for this test, the kubeconfig has these contexts: ways to reach and to sign in to the test's cluster. */
export async function chooseContexts(cluster: ReachedCluster, ...contexts: ContextToChoose[]): Promise<void> {
  chooseKubeconfig(await writeContexts(cluster, ...contexts));
}

/** The same for another process: the path of a kubeconfig that is there until the end of the test. */
export async function writeContexts(cluster: ReachedCluster, ...contexts: ContextToChoose[]): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-contexts-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const authority = await readFile(cluster.caFile, "utf8");
  const file = path.join(directory, "kubeconfig");
  const config = {
    contexts: contexts.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    clusters: contexts.map((context) => ({
      name: context.name,
      cluster: {
        server: context.server ?? cluster.server,
        ...(context.proxy && { "proxy-url": context.proxy }),
        ...(context.authority === "any"
          ? { "insecure-skip-tls-verify": true }
          : { "certificate-authority-data": Buffer.from(context.authority ?? authority).toString("base64") }),
      },
    })),
    users: contexts.map(({ name, token = cluster.token, tokenFile, exec }) => ({
      name,
      user: exec ? { exec } : tokenFile ? { tokenFile } : { token },
    })),
  };
  await writeFile(file, stringify(config), { mode: 0o600 });
  return file;
}

/** From now on, and for this test, crdshift is configured with this etcd, and with what else is given. */
export function chooseEtcd(
  { url, certFile, keyFile }: Etcd,
  more: { ENDPOINTS?: string; CACERT?: string; CERT?: string; KEY?: string; PREFIX?: string } = {},
): void {
  onTestFinished(() => void vi.unstubAllEnvs());
  const settings = { ENDPOINTS: url, CACERT: certFile, CERT: certFile, KEY: keyFile, ...more };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(`CRDSHIFT_ETCD_${name}`, value);
}
