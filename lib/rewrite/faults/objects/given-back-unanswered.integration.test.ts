import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, patchOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { gone, NAME, ownersOf, v1, v1beta1 } from "#lib/rewrite/testing/bench/owned-list.ts";

/** An object whose list and size `gitops` has written at a version that is gone by now. It is stored at v1beta1. */
async function stored({ define, apply, api, flip }: FaultBench, by: "apply" | "update"): Promise<SampleDefinition> {
  const definition = await define([gone, { ...v1beta1, storage: true }, v1]);
  const spec = { size: "large", ports: [{ name: "http", port: 80 }] };
  if (by === "apply") await apply(definition, gone.name, NAME, "gitops", spec);
  else {
    const object = { apiVersion: `${definition.group}/${gone.name}`, kind: "Widget", metadata: { name: NAME }, spec };
    await api.create(`${dirname(definition.path(gone.name, { name: NAME }))}?fieldManager=gitops`, object);
  }
  await flip(definition, [v1beta1, { ...v1, storage: true }]);
  return definition;
}

const changesManagedFields = (definition: SampleDefinition): Match => {
  const isPatch = patchOf(definition, NAME);
  return (request) => isPatch(request) && request.body.includes("managedFields") && !request.path.includes("dryRun");
};

// Without what Attempts knows of the owners (note-lost-answer.ts), crdshift's entry is removed, and nobody owns the list.
const onBoth = (["older", "newest"] as const).flatMap((release) => (["apply", "update"] as const).map((by) => [by, release] as const));
describe.each(onBoth)("whoever owned a list by an %s, in which a default is stored, on the %s release,", async (by, release) => {
  const { cluster } = await openTestBench(release === "older" ? olderRelease : undefined);
  const faultTest = (name: string, body: (bench: FaultBench) => Promise<void>) => test(name, () => underFaults(cluster, body));

  faultTest("still owns it if the answer that carries the entry over is lost", async (bench) => {
    const definition = await stored(bench, by);
    bench.proxy.inject(changesManagedFields(definition), { kind: "reset", when: "after" }, 1);
    expect(await bench.rewrite(definition, { keepOwnership: true })).toMatchObject({ phase: "succeeded", ownership: { lost: 0 } });
    expect(await ownersOf(bench, definition)).toEqual(["gitops v1 f:ports,f:size"]);
  });

  faultTest("still owns it if the answer to a cleaning is lost, and if its second write is refused", async (bench) => {
    for (const fault of ["lost", "refused"]) {
      const definition = await stored(bench, by);
      const writes = changesManagedFields(definition);
      const isSecond: Match = (request) =>
        writes(request) && request.body.includes("gitops") && bench.proxy.seen.filter(writes).length === 2;
      const busy = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: 503, reason: "ServiceUnavailable" });
      if (fault === "lost") bench.proxy.inject(writes, { kind: "reset", when: "after" }, 1);
      else bench.proxy.inject(isSecond, { kind: "answer", status: 503, headers: { "content-type": "application/json" }, body: busy }, 1);
      const { crd } = await readCrd(bench.connection, definition.name, soon());
      const states = await Array.fromAsync(cleanManagedFields(bench.connection, crd, { versions: [gone.name] }, soon()));
      expect(states.at(-1), fault).toMatchObject({ complete: true, rejected: 0 });
      expect(await ownersOf(bench, definition), fault).toEqual(["gitops v1 f:ports,f:size"]);
    }
  });
});
