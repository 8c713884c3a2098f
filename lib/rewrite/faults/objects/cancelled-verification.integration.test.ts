import { expect } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { faultTest, listOf, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 4;
const denied = {
  ...{ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 },
  message: 'admission webhook "no.example.com" denied the request: no',
};

// Without the counts of a pass that didn't end (rewriteUntilProven in rewrite-until-proven.ts) the cancelled run says that nothing was rejected.
faultTest("objects rejected in a verification that is then cancelled are told", async ({ connection, stale, proxy, start }) => {
  const definition = await stale(OBJECTS);
  const second = proxy.hold(past(1, listOf(definition)), "before", 1);
  const { id } = await start(definition, { acceptUnseen: true, verify: "every-object" });
  await second.reached;
  const headers = { "content-type": "application/json" };
  const denying = proxy.inject(patchOf(definition), { kind: "answer", status: 403, headers, body: JSON.stringify(denied) }, OBJECTS - 1);
  const last = proxy.hold(past(OBJECTS - 1, patchOf(definition)), "before");
  second.release();
  await last.reached;
  expect(denying.hits()).toBe(OBJECTS - 1);
  // What it leaves once it has rejected an object above the settle point.
  await expect.poll(async () => (await readRecord(definition)).doubt).not.toBeNull();
  // Objects are counted once the run has the answer to that write, too.
  await sleep(1_000, soon());
  const ended = await cancelRewrite(connection, definition.name, id, soon());
  expect(ended).toMatchObject({
    phase: "cancelled",
    counts: { total: OBJECTS, rewritten: OBJECTS, alreadyCurrent: 0, rejected: OBJECTS - 1, remaining: 0 },
    rejections: [{ reason: "Forbidden", count: OBJECTS - 1 }],
  });
});
