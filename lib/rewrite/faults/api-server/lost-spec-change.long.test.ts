import { expect } from "vitest";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import type { Fault, Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { HistoryKind } from "#lib/domain/audit/history.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { relistStoredVersions } from "#lib/rewrite/commands/relist-stored-versions.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { changeVersion } from "#lib/rewrite/spec-change/change-version.ts";
import { dropConversion } from "#lib/rewrite/spec-change/drop-conversion.ts";
import { putBackConversion } from "#lib/rewrite/spec-change/put-back-conversion.ts";
import { putBackVersion } from "#lib/rewrite/spec-change/put-back-version.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { type FaultBench, faultTest, statusWriteOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";

const long = { timeout: 60_000 };
const size = { type: "integer" };
const withColor = { size, color: { type: "string" } };
const flipped = (storage: string) => [
  { name: "v1", storage: storage === "v1", properties: withColor },
  { name: "v1beta1", storage: storage === "v1beta1", properties: { size } },
];
const specWriteOf =
  ({ name }: SampleDefinition): Match =>
  ({ method, path }) =>
    method === "PATCH" && path.includes(`/customresourcedefinitions/${name}?fieldManager=crdshift-spec`) && !path.includes("dryRun");
const readOf =
  ({ name }: SampleDefinition): Match =>
  ({ method, path }) =>
    method === "GET" && path.endsWith(`/customresourcedefinitions/${name}`);

const status = {
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  code: 504,
  reason: "Timeout",
  message: "Timeout: request did not complete",
};
const lost: [string, Fault][] = [
  ["a reset after the commit", { kind: "reset", when: "after" }],
  ["a 504 after the commit", { kind: "edit", status: 504, change: () => JSON.stringify(status) }],
  ["an answer cut in half", { kind: "truncate" }],
];

async function told({ connection }: FaultBench, { name }: SampleDefinition, kind: HistoryKind) {
  await untilRecorded();
  return (await readHistory(connection, name, soon())).items.filter((item) => item.kind === kind);
}

const flip = ({ connection }: FaultBench, { name }: SampleDefinition, signal = soon()) =>
  changeVersion(connection, name, "v1beta1", { storage: true, acceptLosses: true }, signal);

/** A definition without conversion, whose objects lose a field if the storage flag moves. */
async function losing(bench: FaultBench): Promise<SampleDefinition> {
  const definition = await bench.define(flipped("v1"));
  await definition.createObjects("v1", 3, (index) => ({ size: index, color: "red" }));
  return definition;
}

const accepted = "v1beta1 is the storage version instead of v1. Accepted: at the next write, spec.color is dropped in 3 objects.";
const storageOf = async (definition: SampleDefinition) =>
  ((await definition.read()).spec.versions as { name: string; storage: boolean }[]).find(({ storage }) => storage)?.name;

// Without the look after the error (unanswered-write.ts), no Event tells of the change, nor of the losses that were accepted.
for (const [name, fault] of lost) {
  faultTest(
    `${name}: a changed storage version is told with the losses that were accepted`,
    async (bench) => {
      const definition = await losing(bench);
      const met = bench.proxy.inject(specWriteOf(definition), fault, 1);
      expect(await flip(bench, definition)).toMatchObject({ warning: null });
      expect(met.hits()).toBe(1);
      expect(await storageOf(definition)).toBe("v1beta1");
      expect(await told(bench, definition, "changed")).toMatchObject([{ sources: ["event"], message: accepted }]);
    },
    long,
  );
}

faultTest(
  "a change that was sent is told even if the person who asked for it left before the answer",
  async (bench) => {
    const definition = await losing(bench);
    const held = bench.proxy.hold(specWriteOf(definition), "after");
    const leaving = new AbortController();
    const asked = flip(bench, definition, leaving.signal);
    await held.reached;
    leaving.abort();
    expect(await asked).toMatchObject({ warning: null });
    expect(await told(bench, definition, "changed")).toMatchObject([{ message: accepted }]);
  },
  long,
);

faultTest(
  "every other change whose answer is lost is told as the change that it was",
  async (bench) => {
    const { connection, proxy, stale, rewrite } = bench;
    const { conversion } = await breakableConversion();
    const definition = await stale(2, { conversion });
    const { name } = definition;
    const losing = async (kind: HistoryKind, match: Match, change: () => Promise<unknown>) => {
      const met = proxy.inject(match, { kind: "reset", when: "after" }, 1);
      await change();
      expect([kind, met.hits(), (await told(bench, definition, kind)).length]).toEqual([kind, 1, 1]);
    };
    await rewrite(definition, { acceptUnseen: true });
    await pruneStoredVersions(connection, name, name, soon());
    await losing("unpruned", statusWriteOf(definition), () => relistStoredVersions(connection, name, ["v1beta1"], soon()));
    await pruneStoredVersions(connection, name, name, soon());
    const spec = specWriteOf(definition);
    const text = { deprecated: true, deprecationWarning: "move on" };
    await losing("deprecated", spec, () => changeVersion(connection, name, "v1beta1", text, soon()));
    await losing("unserved", spec, () => changeVersion(connection, name, "v1beta1", { served: false, deprecated: false }, soon()));
    const accepting = { confirm: "v1beta1", acceptManagedFields: true } as const;
    await losing("removed", spec, () => removeVersion(connection, name, "v1beta1", accepting, soon()));
    await losing("unconverted", spec, () => dropConversion(connection, name, {}, soon()));
    await losing("reconverted", spec, () => putBackConversion(connection, name, {}, soon()));
    await losing("readded", spec, () => putBackVersion(connection, name, "v1beta1", {}, soon()));
    expect((await definition.read()).spec.versions).toMatchObject([{ name: "v1" }, { name: "v1beta1", served: false }]);
  },
  long,
);

faultTest(
  "a change that never arrived, and whose place another one took, is told as none",
  async (bench) => {
    const definition = await losing(bench);
    bench.proxy.inject(specWriteOf(definition), { kind: "reset", when: "before" }, 1);
    await expect(flip(bench, definition)).rejects.toMatchObject({ code: "cluster_unreachable", details: undefined });

    const held = bench.proxy.hold(specWriteOf(definition), "before");
    bench.proxy.inject(specWriteOf(definition), { kind: "reset", when: "before" }, 1);
    const asked = flip(bench, definition).catch((error: unknown) => error);
    await held.reached;
    await definition.setVersions(flipped("v1").map((version) => ({ ...version, deprecated: version.name === "v1beta1" })));
    held.release();
    expect(await asked).toMatchObject({ code: "cluster_unreachable", details: undefined });
    expect(await storageOf(definition)).toBe("v1");
    expect(await told(bench, definition, "changed")).toEqual([]);
    await flip(bench, definition);
    expect(await told(bench, definition, "changed")).toMatchObject([{ message: accepted }]);
  },
  long,
);

faultTest(
  "if nobody can tell whether a change was made, the error and the history say so",
  async (bench) => {
    const definition = await losing(bench);
    bench.proxy.inject(specWriteOf(definition), { kind: "reset", when: "after" }, 1);
    const held = bench.proxy.hold(specWriteOf(definition), "after");
    const asked = flip(bench, definition).catch((error: unknown) => error);
    await held.reached;
    const reads = bench.proxy.inject(readOf(definition), { kind: "reset", when: "before" }, Number.POSITIVE_INFINITY);
    held.release();
    expect(await asked).toMatchObject({
      code: "cluster_unreachable",
      message: expect.stringMatching(/ can't be reached\. crdshift couldn't find out whether the change was made\.$/),
      nextStep: expect.stringMatching(/ Look at the definition before you try again\.$/),
      details: { unconfirmed: true },
    });
    reads.stop();
    expect(await told(bench, definition, "changed")).toMatchObject([{ message: `Unconfirmed: ${accepted}` }]);
  },
  long,
);

faultTest(
  "the undo of a prune that may have happened says so",
  async (bench) => {
    const { connection, proxy, stale, rewrite } = bench;
    const definition = await stale(2);
    await rewrite(definition, { acceptUnseen: true });
    await pruneStoredVersions(connection, definition.name, definition.name, soon());
    const held = proxy.hold(statusWriteOf(definition), "after");
    proxy.inject(statusWriteOf(definition), { kind: "reset", when: "after" }, 1);
    const asked = relistStoredVersions(connection, definition.name, ["v1beta1"], soon()).catch((error: unknown) => error);
    await held.reached;
    const reads = proxy.inject(readOf(definition), { kind: "reset", when: "before" }, Number.POSITIVE_INFINITY);
    held.release();
    expect(await asked).toMatchObject({
      message: expect.stringMatching(/ crdshift couldn't find out whether the change was made\.$/),
      details: { unconfirmed: true },
    });
    reads.stop();
    expect(await told(bench, definition, "unpruned")).toMatchObject([{ message: "Unconfirmed: Undid the prune of v1beta1." }]);
  },
  long,
);
