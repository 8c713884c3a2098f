import { expect, onTestFinished } from "vitest";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { changeVersion } from "#lib/rewrite/spec-change/change-version.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

// A failed list counted as "no migrations": the storage version was flipped and storedVersions pruned under another engine's writes.
faultTest(
  "another engine that can't be listed for a moment is waited for, and one that stays unseen is not taken for idle",
  async (bench) => {
    const { proxy, api, connection, stale, rewrite, start } = bench;
    const definition = await stale(3);
    expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
    const migrations = await standInMigrations(api, "migration.k8s.io", "v1alpha1");
    onTestFinished(async () => {
      await api.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/storageversionmigrations.migration.k8s.io");
    });
    await migrations.create("someone-elses", definition);
    await migrations.say("someone-elses", { type: "Running" });
    const { name } = definition;
    const actions = [
      () => changeVersion(connection, name, "v1beta1", { storage: true }, soon()),
      () => changeVersion(connection, name, "v1beta1", { served: false }, soon()),
      () => pruneStoredVersions(connection, name, name, soon()),
      () => start(definition, { acceptUnseen: true }),
    ];
    const isOfEngine = ({ path }: { path: string }) => path.startsWith("/apis/migration.k8s.io");
    const busy = { kind: "answer", status: 503, headers: {}, body: "busy" } as const;

    for (const act of actions) {
      proxy.inject(isOfEngine, busy, 1);
      await expect(act()).rejects.toMatchObject({ message: expect.stringContaining("someone-elses") });
    }

    const lost = proxy.inject(isOfEngine, { kind: "reset", when: "before" });
    for (const act of actions) {
      await expect(act()).rejects.toMatchObject({
        message: "crdshift couldn't check whether another engine is migrating the objects.",
        nextStep: expect.stringContaining("migration.k8s.io"),
      });
    }
    lost.stop();
    expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  },
);
