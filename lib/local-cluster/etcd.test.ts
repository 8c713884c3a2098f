import { mkdtemp, readFile, rm } from "node:fs/promises";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { postToEtcd } from "./etcd.ts";
import { writeEtcdCertificate } from "./programs/write-credentials.ts";

// With connections kept by URL (agents in etcd.ts) the later one, whose certificate is another, is never ready.
test("an etcd that gets the port of an earlier one is spoken to with its own certificate", async () => {
  const port = await servedOnce(0);
  expect(await servedOnce(port)).toBe(port);
});

/** Serves one request as etcd does, to who has its certificate only, and returns the port. */
async function servedOnce(port: number): Promise<number> {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-etcd-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const files = await writeEtcdCertificate(directory);
  const [cert, key] = [await readFile(files.certFile), await readFile(files.keyFile)];
  const server = https.createServer({ cert, key, ca: cert, requestCert: true }, (_, answer) => answer.end('{"served":true}'));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo; // It listens on TCP.
  expect(await postToEtcd({ url: `https://127.0.0.1:${address.port}`, ...files }, "/", {})).toEqual({ served: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}
