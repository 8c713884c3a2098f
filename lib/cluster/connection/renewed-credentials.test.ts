import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TLSSocket } from "node:tls";
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";
import { readServerVersion } from "#lib/cluster/transport/discovery.ts";
import { selfSignedCertificate } from "#lib/local-cluster/programs/self-signed-certificate.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";
import { connect } from "./connect.ts";

const HOUR_MS = 3_600_000;
const made = (name: string, forMs = HOUR_MS) => selfSignedCertificate(name, new Date(Date.now() + forMs));
type Pair = Awaited<ReturnType<typeof made>>;

let server: Pair;
let other: Pair;
let old: Pair;
let fresh: Pair;
beforeAll(async () => {
  [server, other, old, fresh] = await Promise.all([made("server"), made("other"), made("old"), made("fresh")]);
});

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "crdshift-renewed-"));
  onTestFinished(() => rm(directory, { recursive: true }));
});

/** An API server that takes whoever `accepts` names: by the client certificate, or by the token. It keeps who sent each request. */
async function apiServer({ requiresCertificate = false, accepts = ["old"] } = {}) {
  const seen: string[] = [];
  const listening = createServer({ ...server, requestCert: true, rejectUnauthorized: requiresCertificate, ca: [old.cert, fresh.cert] });
  listening.on("request", (request, response) => {
    const subject = (request.socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined;
    const who = request.headers.authorization?.replace("Bearer ", "") ?? subject?.CN ?? "nobody";
    seen.push(who);
    const body = accepts.includes(who) ? { gitVersion: "v1" } : { kind: "Status", code: 401, reason: "Unauthorized" };
    response.writeHead("code" in body ? 401 : 200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void listening.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    listening.close();
    listening.closeAllConnections();
  });
  const accept = (...names: string[]) => void accepts.splice(0, accepts.length, ...names);
  return { url: `https://127.0.0.1:${(listening.address() as AddressInfo).port}`, seen, accept };
}

/** The kubeconfig, from now on, with one context. */
async function choose(url: string, user: object, authority = server.cert): Promise<void> {
  const file = path.join(directory, "config");
  const config = {
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: url, "certificate-authority-data": base64(authority) } }],
    users: [{ name: "a", user }],
  };
  await writeFile(file, stringify(config));
  chooseKubeconfig(file);
}

async function filesOf({ cert, key }: Pair): Promise<object> {
  const [certFile, keyFile] = [path.join(directory, "client.crt"), path.join(directory, "client.key")];
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  return { "client-certificate": certFile, "client-key": keyFile };
}

const embedded = ({ cert, key }: Pair) => ({ "client-certificate-data": base64(cert), "client-key-data": base64(key) });

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

const soon = () => AbortSignal.timeout(10_000);

function pass(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
  onTestFinished(() => void vi.useRealTimers());
}

// Without takeReplaced (open-connection.ts) a run asks with the old token until it is interrupted, whatever the kubeconfig says.
test("a connection whose token is refused takes the one that replaced it in the kubeconfig", async () => {
  const { url, seen, accept } = await apiServer();
  await choose(url, { token: "old" });
  const connection = await connect("a");
  await readServerVersion(connection, soon());
  await choose(url, { token: "fresh" });
  await readServerVersion(connection, soon());
  accept("fresh");
  await readServerVersion(connection, soon());
  await readServerVersion(connection, soon());
  expect(seen).toEqual(["old", "old", "old", "fresh", "fresh"]);
});

// Without hasSameAddress (is-same-cluster.ts) the first one's server is sent the second one's token; without isSameCluster, whoever
// has the address now.
test.each(["the address", "the authority", "the check of the certificate"])(
  "it takes none of a context with another one for %s",
  async (what) => {
    const [{ url, seen, accept }, elsewhere] = [await apiServer(), await apiServer()];
    await choose(url, { token: "old" });
    const connection = await connect("a");
    await readServerVersion(connection, soon());
    accept("fresh");
    if (what === "the address") await choose(elsewhere.url, { token: "fresh" });
    else await choose(url, { token: "fresh" }, what === "the authority" ? other.cert : "");
    await expect(readServerVersion(connection, soon())).rejects.toMatchObject({ code: "unauthenticated" });
    expect([...seen, ...elsewhere.seen]).toEqual(["old", "old", "old"]);
  },
);

test("it takes the one of a context whose cluster gets another authority, while that has both", async () => {
  const { url, seen, accept } = await apiServer();
  await choose(url, { token: "old" });
  const connection = await connect("a");
  accept("fresh");
  await choose(url, { token: "fresh" }, `${other.cert}\n${server.cert}`);
  await readServerVersion(connection, soon());
  expect(seen).toEqual(["old", "fresh"]);
});

// Without onDiscard (open-connection.ts) whoever connects once the kubeconfig has its first user again acts as the second one.
test("a connection that took another user is no longer the one for what the kubeconfig said before", async () => {
  const { url, seen, accept } = await apiServer();
  await choose(url, { token: "old" });
  const connection = await connect("a");
  accept("fresh");
  await choose(url, { token: "fresh" });
  await readServerVersion(connection, soon());
  accept("old");
  await choose(url, { token: "old" });
  const again = await connect("a");
  expect(again).not.toBe(connection);
  await readServerVersion(again, soon());
  expect(seen).toEqual(["old", "fresh", "old"]);
});

test("a person's token is never replaced by what the kubeconfig says", async () => {
  const { url, seen, accept } = await apiServer();
  await choose(url, { token: "anything" });
  const connection = await connect("a", { kind: "bearer", token: "old" });
  accept("fresh");
  await choose(url, { token: "fresh" });
  await expect(readServerVersion(connection, soon())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(connection.authHeaders({ renew: true })).resolves.toEqual({ authorization: "Bearer old" });
  expect(seen).toEqual(["old"]);
});

// Without replace (open-connection.ts) the certificate stays what it was when the connection was opened.
test("a connection whose certificate is refused takes the one that is in the file now", async () => {
  const { url, seen, accept } = await apiServer();
  await choose(url, await filesOf(old));
  const connection = await connect("a");
  await readServerVersion(connection, soon());
  await filesOf(fresh);
  accept("fresh");
  await readServerVersion(connection, soon());
  expect(seen).toEqual(["old", "old", "fresh"]);
});

// Without CERTIFICATE_FRESH_MS (open-connection.ts) it is used only a minute later, when the old one may have expired.
test("a connection takes a certificate from its file seconds after it was replaced, and goes on with the old one until its key is", async () => {
  const { url, seen } = await apiServer({ accepts: ["old", "fresh"] });
  await choose(url, await filesOf(old));
  const connection = await connect("a");
  await readServerVersion(connection, soon());
  await filesOf({ ...old, key: fresh.key });
  pass(6_000);
  await readServerVersion(connection, soon());
  await filesOf(fresh);
  pass(6_000);
  await readServerVersion(connection, soon());
  expect(seen).toEqual(["old", "old", "fresh"]);
});

// Without EXPIRES_SOON_MS (open-connection.ts) it waits until the cluster refuses it, which may end the connection without an answer.
test("a connection whose certificate is about to expire takes the one that replaced it in the kubeconfig", async () => {
  const { url, seen } = await apiServer({ accepts: ["old", "fresh"] });
  await choose(url, embedded(old));
  const connection = await connect("a");
  await choose(url, embedded(fresh));
  pass(6_000);
  await readServerVersion(connection, soon());
  pass(HOUR_MS - 30_000);
  await readServerVersion(connection, soon());
  expect(seen).toEqual(["old", "fresh"]);
});

// Without hasFailed (open-connection.ts) a cluster that ends the handshake can't be reached, whatever the kubeconfig says.
test("a connection takes a certificate from the kubeconfig if the handshake fails with its own", async () => {
  const { url, seen } = await apiServer({ requiresCertificate: true });
  await choose(url, embedded(other));
  const connection = await connect("a");
  await choose(url, embedded(old));
  await expect(readServerVersion(connection, soon())).rejects.toMatchObject({ code: "cluster_unreachable" });
  pass(6_000);
  await readServerVersion(connection, soon());
  expect(seen).toEqual(["old"]);
});
