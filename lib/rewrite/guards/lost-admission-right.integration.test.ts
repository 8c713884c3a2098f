import { expect } from "vitest";
import { readWebhooks } from "#lib/cluster/admission/admission.ts";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { mayRewrite } from "#lib/rewrite/testing/bench/may-rewrite.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

await openTestBench();

// Without `unreadable` (admission-watch.ts) the end says that webhooks or policies were added, edited, or removed.
faultTest("a run that may no longer list webhooks says so at its end, and not that they changed", async (bench) => {
  const { cluster, api, proxy, stale } = bench;
  const definition = await stale(3);
  const rights = mayRewrite(definition);
  const admission = { apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["list"] };
  const user = await restrictedUser(api, [...rights, admission]);
  const credentials = { kind: "bearer", token: user.token } as const;
  const theirs = await connect(contextsFor(credentials).current, credentials);
  const own = benchOn(cluster, api, theirs);
  await own.dryRun(definition);
  const { crd } = await readCrd(theirs, definition.name, soon());
  const held = proxy.hold(patchOf(definition), "before", 3);
  const { id } = await own.start(definition);
  await held.reached;
  await user.grant(rights);
  const listed = () =>
    readWebhooks({ connection: theirs, crd, version: "v1", role: "mutating", signal: soon() }).then(
      () => "listed",
      ({ code }) => code,
    );
  await expect.poll(listed, { timeout: 20_000 }).toBe("forbidden");
  held.release();
  const { phase, statusReason } = await own.endOf(definition, id);
  expect(phase).toBe("succeeded");
  expect(statusReason).toMatch(
    /^crdshift can't list mutating webhooks and policies any more, so some may have been added, edited, or removed/,
  );
  expect(statusReason).toContain("Up to 3 objects written in that time weren't checked first, and may have lost fields.");
});
