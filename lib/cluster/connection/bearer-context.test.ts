import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";
import { connect } from "./connect.ts";
import { ownCredentials } from "./credentials.ts";
import { listClusters } from "./list-clusters.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "crdshift-bearer-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

/** A kubeconfig whose user signs in with a command that leaves a file behind, and with a password. */
async function kubeconfigWithPlugin({ current = "dev", does = "" } = {}): Promise<{ ran: string }> {
  const ran = path.join(directory, "ran");
  const said = does || `env > ${ran}`;
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args: ["-c", said], interactiveMode: "Never" };
  const config = {
    "current-context": current,
    contexts: ["dev", "other"].map((name) => ({ name, context: { cluster: "dev", user: "admin" } })),
    clusters: [{ name: "dev", cluster: { server: "https://dev.example.com" } }],
    users: [{ name: "admin", user: { exec, username: "admin", password: "secret" } }],
  };
  const file = path.join(directory, "config");
  await writeFile(file, stringify(config));
  vi.stubEnv("KUBECONFIG", file);
  return { ran };
}

test("a user's token is sent to the kubeconfig's server, without the kubeconfig's own user: no plugin runs", async () => {
  const { ran } = await kubeconfigWithPlugin();
  const connection = await connect("dev", { kind: "bearer", token: "a-persons-token" });
  expect(connection.server).toBe("https://dev.example.com");
  expect(await connection.authHeaders()).toEqual({ authorization: "Bearer a-persons-token" });
  expect(existsSync(ran)).toBe(false);
});

// Each token had its own place among those who wait for a worker: with a dozen, one person kept all others waiting for a minute.
test("the tokens of one person take turns as one, once the cluster has said whose they are", async () => {
  await kubeconfigWithPlugin();
  const [first, second, bobs] = await Promise.all(["a1", "a2", "b1"].map((token) => connect("dev", { kind: "bearer", token })));
  expect(new Set([first, second, bobs].map((one) => one?.person())).size).toBe(3);
  for (const one of [first, second]) one?.keepFor("alice");
  bobs?.keepFor("bob");
  expect(first?.person()).toBe(second?.person());
  expect(bobs?.person()).not.toBe(first?.person());
  // The cluster may not say for a while.
  first?.keepFor(null);
  expect(first?.person()).toBe(second?.person());
});

test("who has the process's own credentials has the plugin run, as by kubectl, without crdshift's own secrets", async () => {
  const { ran } = await kubeconfigWithPlugin();
  vi.stubEnv("CRDSHIFT_TOKEN", "the-scripts-own-token");
  vi.stubEnv("CRDSHIFT_SESSION_KEYS", Buffer.from("k".repeat(32)).toString("base64"));
  await connect("dev").catch(() => {});
  const env = await readFile(ran, "utf8");
  expect(env).toContain("KUBECONFIG=");
  expect(env).not.toMatch(/the-scripts-own-token|a2tra2tr/);
});

// Anyone may ask as often as they like, and would read what the command says of accounts and paths.
test("where everyone shares the process's credentials, a command that fails runs once in ten seconds, and only the log tells what it says", async () => {
  const { ran } = await kubeconfigWithPlugin({ does: failing() });
  const log = sharedByAll();
  const ask = () => connect("dev").catch((refused: unknown) => refused);
  for (const error of [...(await Promise.all(Array.from({ length: 5 }, ask))), await ask()]) {
    expect(error).toMatchObject({ code: "unauthenticated", clusterMessage: undefined, nextStep: "See crdshift's log for the reason." });
    expect(String(error)).not.toContain("canary");
  }
  expect(await readFile(ran, "utf8")).toBe("once\n");
  expect(String(log.mock.calls)).toContain("canary");

  // Whoever repairs the kubeconfig isn't refused for what failed before, even while an old page has it tried again.
  await kubeconfigWithPlugin({ does: SIGNING_IN });
  expect((await connect("dev")).server).toBe("https://dev.example.com");
});

test("the same where it fails later, when the cluster has refused its token", async () => {
  const works = path.join(directory, "works");
  await writeFile(works, "");
  const { ran } = await kubeconfigWithPlugin({ does: `if [ -e ${works} ]; then ${SIGNING_IN}; else ${failing()}; fi` });
  const log = sharedByAll();
  const connection = await connect("dev");
  await rm(works);
  for (const attempt of [1, 2]) {
    const error = await connection.authHeaders({ renew: true }).catch((refused: unknown) => refused);
    expect(error, `${attempt}`).toMatchObject({ clusterMessage: undefined, nextStep: "See crdshift's log for the reason." });
    expect(String(error)).not.toContain("canary");
  }
  expect(await readFile(ran, "utf8")).toBe("once\n");
  expect(String(log.mock.calls)).toContain("canary");
});

test("the list of clusters runs no plugin of a context that nobody has opened", async () => {
  const { ran } = await kubeconfigWithPlugin({ current: "other" });
  const listed = () => listClusters(ownCredentials, { readOnly: false, signal: AbortSignal.timeout(10_000) });
  const of = async (name: string) => (await listed()).find((one) => one.name === name);
  expect(await of("dev")).toMatchObject({ reachable: null, failure: null });
  // The default context's has run.
  await rm(ran, { force: true });
  await of("dev");
  expect(existsSync(ran)).toBe(false);
  await connect("dev").catch(() => {});
  expect(existsSync(ran)).toBe(true);
});

// Without hasCommandProvider (kubeconfig.ts), everybody waits for the command, which is told crdshift's own secrets.
test.each<[string, (ran: string) => object]>([
  ["gcp", (ran) => ({ "cmd-path": "/bin/sh", "cmd-args": `-c 'env > ${ran}; echo {}'`, "token-key": "{.t}", "expiry-key": "{.e}" })],
  ["azure", (ran) => ({ "cmd-path": "/bin/sh", "cmd-args": `-c 'env > ${ran}; echo {}'`, "token-key": "{.t}", "expiry-key": "{.e}" })],
  ["exec", (ran) => ({ exec: { command: "sh", args: ["-c", `env > ${ran}`] } })],
])("the list of clusters runs no command of the auth-provider %s, and says why the context can't be used", async (name, providing) => {
  const ran = path.join(directory, "ran");
  const config = {
    "current-context": "old",
    contexts: [{ name: "old", context: { cluster: "old", user: "old" } }],
    clusters: [{ name: "old", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "old", user: { "auth-provider": { name, config: providing(ran) } } }],
  };
  await writeFile(path.join(directory, "config"), stringify(config));
  vi.stubEnv("KUBECONFIG", path.join(directory, "config"));
  const [old] = await listClusters(ownCredentials, { readOnly: false, signal: AbortSignal.timeout(10_000) });
  expect(old).toMatchObject({
    reachable: false,
    failure: "unusable",
    message: expect.stringContaining("auth-provider that runs a command"),
  });
  expect(existsSync(ran)).toBe(false);
});

test("in a pod only the user's token is sent to the cluster", async () => {
  const ca = path.join(directory, "ca.crt");
  await writeFile(ca, "");
  for (const [name, value] of Object.entries({
    ...{ KUBECONFIG: "", HOME: directory, KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" },
    CRDSHIFT_CLUSTER_CA: ca,
  }))
    vi.stubEnv(name, value);
  const connection = await connect("in-cluster", { kind: "bearer", token: "a-persons-token" });
  expect(connection.server).toBe("https://10.0.0.1:443");
  expect(await connection.authHeaders()).toEqual({ authorization: "Bearer a-persons-token" });
});

const SIGNING_IN = `echo '${JSON.stringify({
  ...{ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential" },
  status: { token: "plugin-token" },
})}'`;

function failing(): string {
  return `echo once >> ${path.join(directory, "ran")}; echo canary >&2; exit 1`;
}

/** Everyone reads with the process's credentials. Returns what the log is told. */
function sharedByAll() {
  vi.stubEnv("CRDSHIFT_MODE", "unsafe-shared-readonly");
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  return log;
}

// Their tokens would go to whichever cluster comes first.
test("nobody signs in to a cluster that no valid current-context names", async () => {
  await kubeconfigWithPlugin({ current: "gone" });
  await expect(connect("dev", { kind: "bearer", token: "a" })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("no valid current-context"),
  });
});
