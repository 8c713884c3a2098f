import { expect, test } from "vitest";
import type { ClusterInvocation } from "#lib/cli/arguments/parse-arguments.ts";
import { commandContext } from "#lib/cli/testing/command-context.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { repair, undoPrune } from "./undo-prune.ts";

const { connection, define, stale, flip, rewrite } = await openTestBench();

const given = (command: ClusterInvocation["command"], definition: string): ClusterInvocation => ({
  ...{ command, definition, rest: [], output: "table", kubeconfig: null, context: null, options: {} },
});

// With the refusal of an undo (nothingToDo in undo-prune.ts) it says to put v1beta1 back, whose removal is complete.
test("repair says that there is nothing to repair once a pruned version is removed", async () => {
  const definition = await stale(2);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  await flip(definition, [{ name: "v1", storage: true }]);
  const removed = async () => (await readDetail(connection, definition.name, soon())).versions.map(({ name }) => name);
  await expect.poll(removed).toEqual(["v1"]);
  const repairing = repair(given("repair", definition.name), commandContext(connection).context);
  await expect(repairing).rejects.toThrow("There is nothing to repair.");
});

test("undo-prune says that there is no prune to undo where nothing was pruned", async () => {
  const { name } = await define([{ name: "v1", storage: true }]);
  const undoing = undoPrune(given("undo-prune", name), commandContext(connection).context);
  await expect(undoing).rejects.toThrow("There is no prune to undo.");
});
