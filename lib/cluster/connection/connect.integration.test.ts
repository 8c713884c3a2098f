import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, connect as tcpConnect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { slowPlugin } from "#lib/cluster/testing/slow-plugin.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import { readServerVersion, readStorageVersionHash } from "#lib/cluster/transport/discovery.ts";
import { connect } from "./connect.ts";
import { ownCredentials } from "./credentials.ts";
import { listClusters } from "./list-clusters.ts";

const { cluster, api } = openWorkerCluster();
const soon = () => AbortSignal.timeout(30_000);

describe("a context", () => {
  test.each(["arn:aws:eks:eu-west-1:1:cluster/a b", "gke_my-project_europe-west1_a", "100% ä?#&", "admin@kind/dev"])(
    "named %s is reached like any other",
    async (name) => {
      await chooseContexts(cluster, { name });
      expect(await readServerVersion(await connect(name), soon())).toBe(`v${cluster.kubernetes}`);
    },
  );

  test("that no kubeconfig has is not found", async () => {
    await chooseContexts(cluster, { name: "a" });
    await expect(connect("b")).rejects.toMatchObject({ code: "not_found", message: "There is no cluster b." });
  });

  test("keeps one connection while its credentials are the same, and gets another with new ones", async () => {
    await chooseContexts(cluster, { name: "a", token: "wrong" });
    const first = await connect("a");
    expect(await connect("a")).toBe(first);
    await expect(readServerVersion(first, soon())).rejects.toMatchObject({ code: "unauthenticated" });

    await chooseContexts(cluster, { name: "a" });
    const second = await connect("a");
    expect(second).not.toBe(first);
    expect(await readServerVersion(second, soon())).toBe(`v${cluster.kubernetes}`);
  });

  test("whose token file is empty while it is renewed says so, and takes the next token at once", async () => {
    const directory = await mkdtemp(join(tmpdir(), "crdshift-token-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const tokenFile = join(directory, "token");
    await writeFile(tokenFile, "first\n");
    await chooseContexts(cluster, { name: "token in a file", tokenFile });
    const connection = await connect("token in a file");
    await writeFile(tokenFile, "");
    await expect(connection.authHeaders({ renew: true })).rejects.toMatchObject({
      code: "unauthenticated",
      clusterMessage: `The token file ${tokenFile} is empty.`,
    });
    expect(await connection.authHeaders()).toMatchObject({ authorization: "Bearer first" });
    await writeFile(tokenFile, "second\n");
    expect(await connection.authHeaders({ renew: true })).toMatchObject({ authorization: "Bearer second" });
  });

  // Without renewOnce (open-connection.ts) each of the requests that wait runs the plugin, and each may ask a person.
  test("runs its plugin once for all requests that wait for new credentials", async () => {
    const plugin = await slowPlugin(cluster.token);
    await chooseContexts(cluster, { name: "plugin", exec: plugin.exec });
    const connection = await connect("plugin");
    const before = await plugin.runs();
    await plugin.wait();
    const renewing = Array.from({ length: 10 }, () => connection.authHeaders({ renew: true }));
    await expect.poll(plugin.runs).toBeGreaterThan(before);
    await plugin.go();
    for (const headers of await Promise.all(renewing)) expect(headers).toEqual({ authorization: `Bearer ${cluster.token}` });
    expect(await plugin.runs()).toBe(before + 1);
    await connection.authHeaders({ renew: true });
    expect(await plugin.runs()).toBe(before + 2);
  });

  // Without copyOf (open-connection.ts) the plugin is never asked again, and each request fails until crdshift is restarted.
  test.each([null, "2099-01-01T00:00:00Z"])(
    "runs its plugin again once its token is refused, though that expires %s",
    async (expiresAt) => {
      const user = await restrictedUser(api, []);
      const plugin = await slowPlugin(user.token, expiresAt);
      await chooseContexts(cluster, { name: `expires ${expiresAt}`, exec: plugin.exec });
      const connection = await connect(`expires ${expiresAt}`);
      expect(await whoAmI(connection, soon())).toBe(user.name);
      await user.revoke();
      await plugin.answer(await user.renew());
      expect([await whoAmI(connection, soon()), await plugin.runs()]).toEqual([user.name, 2]);
    },
  );

  test("runs a plugin whose token the cluster refuses once in ten seconds at most", async () => {
    const plugin = await slowPlugin("made up", null);
    await chooseContexts(cluster, { name: "refused", exec: plugin.exec });
    const connection = await connect("refused");
    for (let count = 0; count < 5; count += 1) {
      await expect(readServerVersion(connection, soon())).rejects.toMatchObject({ code: "unauthenticated" });
    }
    expect(await plugin.runs()).toBe(2);
  });

  test.each(["socks5://user:S3cret@10.9.9.9:1080", "http://user:S3cret@10.9.9.9:99999", "http://user:S3cret%@10.9.9.9:80"])(
    "whose proxy-url can't be used is refused, and nobody is told its password: %s",
    async (proxy) => {
      await chooseContexts(cluster, { name: "odd proxy", proxy });
      const refused = await connect("odd proxy").catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "invalid_input", message: expect.stringContaining("proxy-url") });
      expect(String(refused)).not.toMatch(/S3cret|10\.9/);
    },
  );

  // By itself, undici waits five minutes for the answer to CONNECT, and each request until then.
  test("behind a proxy that accepts connections, and doesn't answer, fails within seconds, and works once it does", async () => {
    let answers = false;
    const proxy = createServer((client) => {
      client.on("error", () => {});
      client.once("data", (head) => {
        if (!answers) return;
        const [, host = "", port = ""] = /^CONNECT ([^:]+):(\d+)/.exec(String(head)) ?? [];
        const upstream = tcpConnect(Number(port), host, () => {
          client.write("HTTP/1.1 200 OK\r\n\r\n");
          client.pipe(upstream).pipe(client);
        });
        upstream.on("error", () => client.destroy());
      });
    });
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    await chooseContexts(cluster, { name: "behind a proxy", proxy: `http://127.0.0.1:${port}` });
    const connection = await connect("behind a proxy");
    await expect(readServerVersion(connection, soon())).rejects.toMatchObject({ code: "cluster_timeout" });
    answers = true;
    expect(await readServerVersion(connection, soon())).toBe(`v${cluster.kubernetes}`);
    await connection.close();
  });

  test("never acts with another one's credentials, also when all are used at once", async () => {
    const users = await Promise.all([restrictedUser(api, []), restrictedUser(api, [])]);
    const contexts = users.map(({ token, name }) => ({ name: `as ${name}`, token }));
    await chooseContexts(cluster, ...contexts, { name: "as admin" });
    const expected = [...users.map(({ name }) => name), await whoAmI(await connect("as admin"), soon())];
    const asked = Array.from({ length: 90 }, (_, index) => index % 3);
    const seen = await Promise.all(asked.map(async (index) => whoAmI(await connect(contexts[index]?.name ?? "as admin"), soon())));
    expect(seen).toEqual(asked.map((index) => expected[index]));
    expect(new Set(expected).size).toBe(3);
  });
});

describe("connections to the API server", () => {
  test("are reused: two serve those who wait for each answer, and two for each of 24 at once serve a thousand requests", async () => {
    const proxy = await tcpProxy(cluster.server);
    await chooseContexts(cluster, { name: "proxied", server: proxy.server });
    const connection = await connect("proxied");
    const send = () => readServerVersion(connection, soon());
    for (let index = 0; index < 50; index++) await send();
    // A request may begin while the connection of the one before it is still being put away.
    expect(proxy.opened()).toBeLessThanOrEqual(2);
    await forEachConcurrently(Array.from({ length: 950 }), { concurrency: 24, signal: soon() }, async () => void (await send()));
    expect(proxy.opened()).toBeLessThanOrEqual(48);
  });

  test("are bounded, however many requests are under way", async () => {
    const proxy = await tcpProxy(cluster.server);
    await chooseContexts(cluster, { name: "proxied", server: proxy.server });
    const connection = await connect("proxied");
    await Promise.all(Array.from({ length: 300 }, () => readServerVersion(connection, soon())));
    expect(proxy.opened()).toBeLessThanOrEqual(160);
  });

  test("are fresh, and closed after use, where several API servers behind one address are asked", async () => {
    const proxy = await tcpProxy(cluster.server);
    await chooseContexts(cluster, { name: "proxied", server: proxy.server });
    const connection = await connect("proxied");
    const resource = { group: "apps", version: "v1", plural: "deployments" };
    for (let asked = 1; asked <= 3; asked++) {
      expect(await readStorageVersionHash(connection, resource, soon())).toBe("8aSe+NMegvE=");
      expect(proxy.opened()).toBe(asked);
    }
    await expect.poll(() => proxy.open()).toBe(0);
  });
});

test("a discarded connection is never handed out again, but still works for its holders: a run sees the rejection itself", async () => {
  await chooseContexts(cluster, { name: "works" });
  const credentials = { kind: "bearer", token: cluster.token } as const;
  const connection = await connect("works", credentials);
  expect(await connect("works", credentials)).toBe(connection);
  connection.discard();
  expect(await readServerVersion(connection, soon())).toBe(`v${cluster.kubernetes}`);
  expect(await connect("works", credentials)).not.toBe(connection);
});

test("the list of clusters says which ones answer, and why the others don't", async () => {
  const proxy = await tcpProxy(cluster.server);
  proxy.cut({ refuse: true });
  await chooseContexts(cluster, { name: "works" }, { name: "wrong token", token: "wrong" }, { name: "away", server: proxy.server });
  const byName = new Map((await listClusters(ownCredentials, { readOnly: false, signal: soon() })).map((one) => [one.name, one]));
  expect(byName.get("works")).toMatchObject({
    reachable: true,
    failure: null,
    version: `v${cluster.kubernetes}`,
    message: null,
    server: cluster.server,
  });
  expect(byName.get("wrong token")).toMatchObject({
    reachable: false,
    failure: "credentials-refused",
    version: null,
    message: expect.stringContaining("credentials"),
  });
  expect(byName.get("away")).toMatchObject({
    reachable: false,
    failure: "unreachable",
    version: null,
    message: expect.stringContaining("can't be reached"),
  });
});
