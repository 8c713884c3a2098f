import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram } from "#lib/local-cluster/binaries/find-program.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { signInWith } from "#lib/server/testing/sign-in-browser.ts";
import { readRendered, startAsInPod } from "./testing/start-as-in-pod.ts";
import { assembleImage } from "./testing/start-image.ts";

// The commands of README.md as they stand there, up to where a kubelet would be needed: then the image's own command takes its place.

const readme = readFileSync(path.join(import.meta.dirname, "README.md"), "utf8");
let cluster: LocalCluster;
let searchPath: string;

beforeAll(async () => {
  cluster = await startLocalCluster();
  const programs = [await findProgram("kubectl"), await findProgram("helm")];
  searchPath = [...programs.map((program) => path.dirname(program)), process.env.PATH].join(path.delimiter);
});
afterAll(() => cluster?.stop());

/** The commands of the n-th block under a heading, with a registry put in. */
function commandsOf(heading: string, block = 0): string[] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const text = [...section.matchAll(/```sh\n([\s\S]*?)```/g)][block]?.[1] ?? "";
  const commands = text.replaceAll("\\\n", " ").replaceAll("REGISTRY", "registry.example.com").split("\n");
  return commands.map((command) => command.replace(/ *(?:^| )# .*$/, "")).filter(Boolean);
}

/** Runs a command in the checkout and returns its output. Throws if it fails. */
function shell(command: string): string {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
    cwd: path.resolve(import.meta.dirname, ".."),
    env: { ...process.env, PATH: searchPath, KUBECONFIG: cluster.kubeconfig },
    encoding: "utf8",
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`${command}\n${stderr}`);
  return stdout;
}

test("from the chart to a signed-in dashboard, and the same with the plain manifests", async () => {
  const [install] = commandsOf("Helm");
  expect(install).toMatch(/^helm install crdshift deploy\/chart /);
  expect(shell(install ?? "")).toContain("port-forward service/crdshift 3000:3000");

  const steps = commandsOf("To a signed-in dashboard");
  const forward = steps.findIndex((step) => step.includes("port-forward"));
  expect(forward).toBe(steps.length - 1);
  const token = steps.slice(0, forward).map(shell).at(-1)?.trim() ?? "";

  const image = assembleImage();
  const running = await startAsInPod(image, readRendered(shell("helm get manifest crdshift --namespace crdshift")), { cluster });
  try {
    const byScript = await fetch(`${running.url}/api/clusters`, { headers: { authorization: `Bearer ${token}` } });
    expect(await byScript.json()).toMatchObject({ clusters: [{ name: "in-cluster", reachable: true }] });
    const cookie = (await signInWith(running.url, { token })).map(({ name, value }) => `${name}=${value}`).join("; ");
    const session = await fetch(`${running.url}/api/session`, { headers: { cookie } });
    expect(await session.json()).toMatchObject({ mode: "token", signedIn: true, user: "system:serviceaccount:crdshift:alice" });
    const fleet = await fetch(`${running.url}/api/clusters/in-cluster/crds`, { headers: { cookie } });
    expect(fleet.status).toBe(200);
  } finally {
    await running.stop();
    image.remove();
  }

  shell("helm uninstall crdshift --namespace crdshift");
  const applied = commandsOf("Helm", 1).map(shell);
  expect(applied).toHaveLength(3);
  expect(shell("kubectl --namespace crdshift get deployment crdshift --output name")).toBe("deployment.apps/crdshift\n");
});
