import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";
import { chooseKubeconfig } from "#lib/settings/env.ts";
import { connectionTo } from "./connection-to.ts";

/**
 * From now on, and for this test, the kubeconfig has one context: a cluster that accepts each token that has a name, and rejects all
 * others, or answers with the status that stands for the name. Returns the tokens that it was asked about.
 */
export async function peoplesCluster(context: string, nameOf: (token: string) => string | number | null): Promise<string[]> {
  const asked: string[] = [];
  const { server } = await connectionTo(context, ({ headers }, response) => {
    const token = headers.authorization?.replace("Bearer ", "") ?? "";
    asked.push(token);
    const username = nameOf(token);
    response.writeHead(typeof username === "string" ? 200 : (username ?? 401)).end(JSON.stringify({ status: { userInfo: { username } } }));
  });
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-people-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const config = {
    contexts: [{ name: context, context: { cluster: context, user: context } }],
    clusters: [{ name: context, cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: context, user: {} }],
  };
  await writeFile(path.join(directory, "kubeconfig"), stringify(config));
  chooseKubeconfig(path.join(directory, "kubeconfig"));
  return asked;
}
