import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hashSources } from "./build.mjs";

async function project(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), "crdshift-sources-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await write(root, files);
  return root;
}

async function write(root: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
}

const sources = { "app/page.tsx": "a", "lib/domain/definition/crd.ts": "b", "package-lock.json": "{}" };

test.each([
  ["a page changes", { "app/page.tsx": "A" }],
  ["a file is added", { "components/ui/button.tsx": "" }],
  ["a dependency changes", { "package-lock.json": "{ }" }],
  ["the build's configuration changes", { "next.config.js": "export default {}" }],
  ["the configuration of the server's build changes", { "rolldown.server.config.ts": "" }],
])("the hash of the sources changes when %s", async (_, change) => {
  const root = await project(sources);
  const before = hashSources(root);
  await write(root, change);
  expect(hashSources(root)).not.toBe(before);
});

test.each([
  ["nothing changes", {}],
  ["a test changes", { "lib/domain/definition/crd.test.ts": "" }],
  ["code that only tests use changes", { "lib/cluster/testing/tcp-proxy.ts": "" }],
  ["a test tool's configuration changes", { "vitest.config.ts": "" }],
  ["the build writes its types", { "next-env.d.ts": "" }],
  ["the local cluster changes", { "lib/local-cluster/main.ts": "" }],
  ["the supply chain tools change", { "lib/supply-chain/main.ts": "" }],
  ["the command line changes", { "lib/cli/main.ts": "", "rolldown.config.ts": "" }],
])("the hash of the sources stays the same when %s", async (_, change) => {
  const root = await project(sources);
  const before = hashSources(root);
  await write(root, change);
  expect(hashSources(root)).toBe(before);
});
