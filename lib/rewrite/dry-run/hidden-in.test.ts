import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { parseObject } from "#lib/domain/exact-json/exact-json.ts";
import { hiddenFields, mayHideFields } from "#lib/domain/losses/hidden-fields.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { quoted } from "#lib/domain/wording/quoted.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import type { Shown } from "./compare-object.ts";
import { hiddenIn } from "./try-object.ts";

vi.mock("#lib/domain/losses/hidden-fields.ts", { spy: true });
vi.mock("#lib/domain/wording/quoted.ts", { spy: true });

const crd = sampleCrd({ versions: [sampleVersion("v1", { storage: true })], storedVersions: ["v1"] });

/** What hiddenIn tells of an object whose entry names this field, which no schema has. */
async function hiddenBeside(field: string) {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { a: { type: "string" } } } } } };
  const versions = [{ name: "v1", served: true, storage: true, schema }];
  const { uid, name, generation, group } = crd;
  const definition = {
    metadata: { name, uid, generation, resourceVersion: "1" },
    spec: { group, versions },
    status: { storedVersions: ["v1"] },
  };
  const connection = await connectionTo("hidden", (_, response) => response.end(JSON.stringify(definition)));
  const entry = { manager: "m", operation: "Update", apiVersion: `${group}/v1`, fieldsV1: { "f:spec": { [`f:${field}`]: {} } } };
  const text = JSON.stringify({ metadata: { name: "one", resourceVersion: "1", managedFields: [entry] }, spec: { a: "x" } });
  const shown: Shown = { text, parse: () => parseObject(text) };
  const signal = AbortSignal.timeout(60_000);
  const trying = { connection, crd, gate: createGate(), pacer: createPacer(null), signal, amid: true, storageVersion: "v1" };
  return () => hiddenIn({ ...trying, mayHide: () => true }, [shown]);
}

// Without isLong (field-path.ts, stepText) all of it is quoted, twice.
test("a field of 2.9 million characters that no read shows holds nobody up, and its path is cut", async () => {
  const look = await hiddenBeside("\u007f".repeat(2_900_000));
  const { longest, result } = await whileWatched(look);
  expect(result?.because).toMatch(/^managedFields name spec\["(\\u007f)+.{0,6}\.{3}[0-9a-z]{21}, but no served version's schema has it/);
  expect(Math.max(...vi.mocked(quoted).mock.calls.map(([text]) => text.length))).toBe(300);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Without nextTurn between them (try-object.ts, hiddenIn) a large object is looked at twice, and parsed, in one turn.
test("the steps of looking for hidden fields each have a turn", async () => {
  let turn = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turn += 1) await setImmediate();
  })();
  const turns: number[] = [];
  vi.mocked(mayHideFields).mockImplementationOnce(() => turns.push(turn) > 0);
  vi.mocked(hiddenFields).mockImplementationOnce(() => {
    turns.push(turn);
    return [];
  });
  const look = await hiddenBeside("x".repeat(200_000));
  await look();
  isOver = true;
  await counting;
  expect(turns).toHaveLength(2);
  expect(turns[1]).toBeGreaterThan(turns[0] ?? 0);
});
