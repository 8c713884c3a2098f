import { expect } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { pruneStoredVersions } from "./prune-stored-versions.ts";
import { relistStoredVersions } from "./relist-stored-versions.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

// With the last prune alone to tell them apart, history says that a prune was undone, and hides that something removed the version wrongly.
faultTest(
  "what puts back a version that was removed without a proof is a repair, also after that version's prune was undone",
  async (bench) => {
    const { api, connection, stale, flip, rewrite } = bench;
    const definition = await stale(2);
    const detail = () => readDetail(connection, definition.name, soon());
    await rewrite(definition, { acceptUnseen: true });
    await pruneStoredVersions(connection, definition.name, definition.name, soon());
    await relistStoredVersions(connection, definition.name, ["v1beta1"], soon());
    // Another spec: the proof is void, and so is the prune.
    await flip(definition, [
      { name: "v1", storage: true, served: true },
      { name: "v1beta1", deprecated: true },
    ]);
    await expect.poll(async () => (await detail()).storedVersions).toEqual(["v1beta1", "v1"]);
    await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1"] } });
    await expect.poll(async () => (await detail()).missingStoredVersions).toEqual(["v1beta1"]);
    await relistStoredVersions(connection, definition.name, ["v1beta1"], soon());
    await untilRecorded();
    const { items } = await readHistory(connection, definition.name, soon());
    const kinds = items.map(({ kind }) => kind).filter((kind) => kind === "unpruned" || kind === "repaired");
    expect(kinds).toEqual(["repaired", "unpruned"]);
  },
);
