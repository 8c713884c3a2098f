import { expect, onTestFinished } from "vitest";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { anotherServer } from "#lib/rewrite/testing/clusters/another-server.ts";

// Without haveChanged (prune-stored-versions.ts) what that server answered in between may be what the proof rests on.
faultTest("a server that comes and goes while a claim is verified keeps it from being relied on", async (bench) => {
  const { connection, proxy } = bench;
  const definition = await bench.stale(3);
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  // Another installation: the recorded proof is a claim to it.
  process.env.CRDSHIFT_SESSION_KEYS = Buffer.alloc(32, 7).toString("base64");
  onTestFinished(() => void delete process.env.CRDSHIFT_SESSION_KEYS);
  const held = proxy.hold(patchOf(definition, objectName(0)), "before");
  const pruning = pruneStoredVersions(connection, definition.name, definition.name, soon()).then(String, String);
  await held.reached;
  const { leave } = await anotherServer(bench, definition, "v1");
  await leave();
  held.release();
  expect(await pruning).toContain("An APIService of the definition changed while crdshift verified the proof.");
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});
