import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { apiClient } from "./api-client.ts";
import { readEtcd } from "./etcd.ts";
import { type LocalCluster, startLocalCluster } from "./start-local-cluster.ts";

const timeout = 300_000;

test("two clusters run side by side, and a stop removes everything", { timeout }, async () => {
  const [one, two] = await Promise.all([startLocalCluster(), startLocalCluster({ context: "arn:aws:eks:eu-west-1:1:cluster/a b" })]);
  onTestFinished(() => two.stop());
  onTestFinished(() => one.stop());

  await apiClient(one).create("/api/v1/namespaces", { metadata: { name: "only-in-one" } });
  const keys = async (cluster: LocalCluster) => (await readEtcd(cluster.etcd, "/registry/namespaces/")).map(({ key }) => key);
  expect(await keys(one)).toContain("/registry/namespaces/only-in-one");
  expect(await keys(two)).not.toContain("/registry/namespaces/only-in-one");

  const kubeconfig = parse(await readFile(two.kubeconfig, "utf8"));
  expect(kubeconfig["current-context"]).toBe("arn:aws:eks:eu-west-1:1:cluster/a b");
  expect((await stat(two.kubeconfig)).mode & 0o777).toBe(0o600);

  await one.stop();
  expect([Number(one.etcdPid), one.apiServer.pid()].filter(isAlive)).toEqual([]);
  expect(existsSync(one.directory)).toBe(false);
});

test("only the CA in a cluster's own kubeconfig verifies its API server", { timeout }, async () => {
  const [cluster, other] = await Promise.all([startLocalCluster(), startLocalCluster()]);
  onTestFinished(() => cluster.stop());
  onTestFinished(() => other.stop());

  const { clusters } = parse(await readFile(cluster.kubeconfig, "utf8"));
  expect(clusters[0].cluster).not.toHaveProperty("insecure-skip-tls-verify");
  const authority = Buffer.from(clusters[0].cluster["certificate-authority-data"], "base64").toString();
  expect(authority).toBe(await readFile(cluster.caFile, "utf8"));

  await expect(apiClient(cluster).get("/api/v1/namespaces/default")).resolves.toBeDefined();
  await expect(apiClient({ ...cluster, caFile: other.caFile }).get("/api/v1/namespaces/default")).rejects.toThrow(/certificate/);
});

test("a cluster in a given directory keeps its objects between starts, and only one cluster at a time can use it", {
  timeout,
}, async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-kept-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const first = await startLocalCluster({ directory });
  onTestFinished(() => first.stop());
  await apiClient(first).create("/api/v1/namespaces", { metadata: { name: "kept" } });
  await expect(startLocalCluster({ directory })).rejects.toThrow(/already running .*KUBECONFIG=/);
  await first.stop();

  const second = await startLocalCluster({ directory });
  onTestFinished(() => second.stop());
  await expect(apiClient(second).get("/api/v1/namespaces/kept")).resolves.toMatchObject({ metadata: { name: "kept" } });
  expect(second.token).toBe(first.token);
});

test("a program that dies while starting is reported with its log, and nothing is left behind", { timeout }, async () => {
  await expect(startLocalCluster({ apiServerArgs: ["--nonsense"] })).rejects.toThrow(/kube-apiserver ended .*unknown flag: --nonsense/s);
});

test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
  "a cluster whose parent gets %s leaves nothing behind",
  { timeout },
  async (signal) => {
    const { parent, cluster } = await clusterInAnotherProcess();
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pids = [await parentOf(cluster.etcdPid), cluster.etcdPid, cluster.apiServerPid];
    expect(pids.filter(isAlive)).toEqual(pids);

    parent.kill(signal);

    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 20_000, interval: 50 });
    expect(existsSync(cluster.directory)).toBe(false);
  },
);

test("the programs of a cluster end when their supervisor is killed", { timeout }, async () => {
  const cluster = await startLocalCluster({ controllerManager: true });
  onTestFinished(() => rm(cluster.directory, { recursive: true, force: true }));
  const etcdPid = Number(cluster.etcdPid);
  const pids = [etcdPid, cluster.apiServer.pid(), cluster.controllerManager?.pid() ?? 0];
  expect(pids.filter(isAlive)).toEqual(pids);
  process.kill(await parentOf(etcdPid), "SIGKILL");
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 20_000 });
});

interface DistantCluster {
  directory: string;
  etcdPid: number;
  apiServerPid: number;
}

async function clusterInAnotherProcess(): Promise<{ parent: ChildProcess; cluster: DistantCluster }> {
  const script = `
    import { startLocalCluster } from ${JSON.stringify(new URL("./start-local-cluster.ts", import.meta.url).href)};
    const { directory, etcdPid, apiServer } = await startLocalCluster();
    console.log(JSON.stringify({ directory, etcdPid, apiServerPid: apiServer.pid() }));`;
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: parent.stdout })) return { parent, cluster: JSON.parse(line) };
  throw new Error("The process ended without having started a cluster.");
}

// Without killed (start-program.ts) the kill is logged as an unexpected end.
test("an API server that is killed and restarted repeatedly keeps its port and its objects", { timeout }, async () => {
  const logged: string[] = [];
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning.message);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const cluster = await startLocalCluster({ log: (line) => void logged.push(line) });
  onTestFinished(() => cluster.stop());
  const { apiServer } = cluster;
  await expect(apiServer.start()).rejects.toThrow("is running");
  await apiClient(cluster).create("/api/v1/namespaces", { metadata: { name: "kept" } });

  for (let round = 0; round < 4; round += 1) {
    const pid = apiServer.pid();
    await apiServer.kill();
    expect(isAlive(pid)).toBe(false);
    await expect(apiClient(cluster).get("/readyz")).rejects.toThrow("ECONNREFUSED");
    await apiServer.start();
    expect(apiServer.pid()).not.toBe(pid);
    await expect(apiClient(cluster).get("/api/v1/namespaces/kept")).resolves.toMatchObject({ metadata: { name: "kept" } });
  }
  expect(logged.filter((line) => line.includes("unexpectedly"))).toEqual([]);
  expect(warnings).toEqual([]);
  await cluster.stop();
  expect(isAlive(apiServer.pid())).toBe(false);
});

// Without isRunning (start-program.ts) it can't be started again.
test("an unexpected end of the API server is logged, and it can be restarted", { timeout }, async () => {
  const logged: string[] = [];
  const cluster = await startLocalCluster({ log: (line) => void logged.push(line) });
  onTestFinished(() => cluster.stop());
  process.kill(cluster.apiServer.pid(), "SIGKILL");
  await expect.poll(() => logged).toContainEqual(expect.stringContaining("kube-apiserver ended unexpectedly (ended by SIGKILL)"));
  await cluster.apiServer.start();
  await expect(apiClient(cluster).get("/api/v1/namespaces/default")).resolves.toBeDefined();
});

async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
