import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { signInLink } from "#lib/sign-in/sign-in.ts";
import { explain, kubectlHint, type Reach, tellReach, tellSignInLink } from "./start-messages.ts";
import { localUrl } from "./start-server.ts";

test.runIf(process.platform === "linux")(
  "the command that opens a browser does not have the sign-in secret among its arguments",
  async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "crdshift-opener-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const told = path.join(directory, "arguments");
    await writeFile(path.join(directory, "xdg-open"), `#!/bin/sh\necho "$@" > ${told}.new && mv ${told}.new ${told}\n`, { mode: 0o700 });
    vi.stubEnv("PATH", `${directory}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    await tellSignInLink({ open: true });

    const opened = await vi.waitFor(async () => (await readFile(told, "utf8")).trim(), { timeout: 30_000 });
    const secret = signInLink().split("#launch=")[1] ?? "";
    expect(secret.length).toBeGreaterThan(40);
    expect(opened).not.toContain(secret);
    expect(await readFile(fileURLToPath(opened), "utf8")).toContain(secret);
    // No other user may read it.
    expect((await stat(fileURLToPath(opened))).mode & 0o077).toBe(0);
    await rm(path.dirname(fileURLToPath(opened)), { recursive: true });
  },
);

const tell = (reach: Omit<Reach, "inPod">, inPod = false) => tellReach({ ...reach, inPod });

test.each(["127.0.0.1", "127.3.4.5", "::1"])("a server that listens on %s needs no message", (address) => {
  expect(tell({ address, listeningHost: "localhost", origins: [] })).toBe("");
});

test("a server that listens on all addresses says so, and how to reach it", () => {
  for (const address of ["0.0.0.0", "::"]) {
    const told = tell({ address, listeningHost: address, origins: [] });
    expect(told).toMatch(/^It listens on all addresses and answers only to these names: localhost\.\n.* ssh -L, .*CRDSHIFT_ORIGINS\.$/);
    expect(tell({ address, listeningHost: "", origins: [] }, true)).toContain("use kubectl port-forward, or");
  }
});

test("a server with public origins names them and gives no advice", () => {
  const origins = ["https://crds.example.com", "https://crds.example.org:8443"];
  expect(tell({ address: "0.0.0.0", listeningHost: "", origins })).toBe(
    "It listens on all addresses and answers only to these names: localhost, https://crds.example.com, https://crds.example.org:8443.",
  );
  expect(tell({ address: "127.0.0.1", listeningHost: "127.0.0.1", origins: ["https://crds.example.com"] })).toBe(
    "It listens on 127.0.0.1 and answers only to these names: localhost, https://crds.example.com.",
  );
});

test("HOST is among the names if requests may use it", () => {
  expect(tell({ address: "10.0.0.5", listeningHost: "crds.internal", origins: [] })).toBe(
    "It listens on 10.0.0.5 and answers only to these names: localhost, crds.internal.",
  );
  expect(tell({ address: "10.0.0.5", listeningHost: "", origins: [] })).toMatch(/only to these names: localhost\.\n.*CRDSHIFT_ORIGINS/);
});

test.each([
  ["127.0.0.1", "localhost", "http://localhost:3000"],
  ["0.0.0.0", "0.0.0.0", "http://127.0.0.1:3000"],
  ["::", "::", "http://[::1]:3000"],
  ["fd00::1", "fd00::1", "http://[fd00::1]:3000"],
  ["10.0.0.5", "crds.internal", "http://crds.internal:3000"],
])("a server that listens on %s with HOST %s is opened at %s", (address, host, url) => {
  expect(localUrl({ address, host, port: 3_000 })).toBe(url);
});

test("the kubectl command of the demo is quoted for a shell", () => {
  expect(kubectlHint({ kubeconfig: "/home/a/.local/share/crdshift/kubeconfig", context: "crdshift-demo" })).toBe(
    "kubectl --kubeconfig /home/a/.local/share/crdshift/kubeconfig --context crdshift-demo get crds",
  );
  expect(kubectlHint({ kubeconfig: "/home/it's me/kubeconfig", context: "crdshift-demo" })).toBe(
    String.raw`kubectl --kubeconfig '/home/it'\''s me/kubeconfig' --context crdshift-demo get crds`,
  );
});

test("an error at the start is told without what a terminal obeys, and the cluster's words are one line", () => {
  const error = new AppError("cluster_unreachable", "The API server\u001b[2J can't be reached.", {
    clusterMessage: "no\ncrdshift is ready at http://evil.example.com\u0007",
    nextStep: "Check your network.",
  });
  expect(explain(error)).toBe(
    "The API server^[[2J can't be reached.\nno crdshift is ready at http://evil.example.com^G\nCheck your network.",
  );
  expect(explain(new Error("Port 3000 is in use.\nSet PORT.\u009b"))).toBe("Port 3000 is in use.\nSet PORT.\uFFFD");
});
