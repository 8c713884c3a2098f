import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";
import { clusterKey } from "./cluster-key.ts";
import { connect } from "./connect.ts";

// Without tlsServerName (open-connection.ts), what was found in the one cluster is said of the other.
test("two clusters that one address tells apart by the TLS server name have keys of their own, and two contexts of one share it", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-keys-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const cluster = (name: string) => ({ name, cluster: { server: "https://one.example.com", "tls-server-name": `${name}.example.com` } });
  const file = path.join(directory, "config");
  const contexts = { blue: "blue", "also blue": "blue", green: "green" };
  await writeFile(
    file,
    stringify({
      contexts: Object.entries(contexts).map(([name, cluster]) => ({ name, context: { cluster, user: "admin" } })),
      clusters: [cluster("blue"), cluster("green")],
      users: [{ name: "admin", user: { token: "a-token" } }],
    }),
  );
  vi.stubEnv("KUBECONFIG", file);
  onTestFinished(() => void vi.unstubAllEnvs());
  const [blue, again, green] = await Promise.all(Object.keys(contexts).map(async (name) => clusterKey(await connect(name))));
  expect(again).toBe(blue);
  expect(green).not.toBe(blue);
});
