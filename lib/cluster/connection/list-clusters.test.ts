import { AsyncLocalStorage } from "node:async_hooks";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";
import { collectGarbage } from "#lib/process-wide/testing/collect-garbage.ts";
import { ownCredentials } from "./credentials.ts";
import { listClusters } from "./list-clusters.ts";

/** A kubeconfig with one context, whose server answers only when the test does. */
async function silentCluster(): Promise<ServerResponse[]> {
  const asked: ServerResponse[] = [];
  const server = createServer((_, response) => void asked.push(response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-list-"));
  const file = path.join(directory, "config");
  const config = {
    contexts: [{ name: "silent", context: { cluster: "silent", user: "me" } }],
    clusters: [{ name: "silent", cluster: { server: origin, "insecure-skip-tls-verify": true } }],
    users: [{ name: "me", user: {} }],
  };
  await writeFile(file, stringify(config));
  vi.stubEnv("KUBECONFIG", file);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true });
  });
  return asked;
}

const list = (signal = new AbortController().signal) => listClusters(ownCredentials, { readOnly: false, signal });

// Without questions that are shared (list-clusters.ts), each list asks anew, and goes on for as long after its reader has left.
test("however many lists are asked for while a cluster doesn't answer, it is asked once, and nothing of those who left is kept", async () => {
  const asked = await silentCluster();
  const context = new AsyncLocalStorage<object>();
  const made: WeakRef<object>[] = [];
  for (let i = 0; i < 100; i += 1) {
    const leaving = new AbortController();
    const request = {};
    made.push(new WeakRef(request));
    const listed = context.run(request, () => list(leaving.signal));
    leaving.abort(new Error("left"));
    await expect(listed).rejects.toThrow("left");
  }
  await expect.poll(() => asked.length).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(made.slice(0, -1).filter((one) => one.deref() !== undefined)).toEqual([]);
  expect(asked).toHaveLength(1);
  // Whoever comes while it is asked gets the answer, too.
  const listed = Promise.all([list(), list()]);
  asked[0]?.writeHead(200, { "content-type": "application/json" }).end('{"gitVersion":"v1.37.2"}');
  for (const clusters of await listed) expect(clusters).toMatchObject([{ name: "silent", reachable: true, version: "v1.37.2" }]);
  expect(asked).toHaveLength(1);
});
