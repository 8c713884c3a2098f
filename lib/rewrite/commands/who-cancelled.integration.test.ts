import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { logActionsTo, untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { mayRewrite } from "#lib/rewrite/testing/bench/may-rewrite.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { cancelRewrite } from "./cancel-rewrite.ts";

const bench = await openTestBench();
const { cluster, api } = bench;

const rights = (definition: SampleDefinition) => [
  ...mayRewrite(definition),
  { apiGroups: [""], resources: ["events"], verbs: ["create", "list"] },
];

/** Whoever sends too much gets no answer to a review; a cluster may also deny it. */
const unanswered = {
  throttled: {
    kind: "answer",
    status: 429,
    body: JSON.stringify({ kind: "Status", status: "Failure", reason: "TooManyRequests", code: 429 }),
  },
  denied: { kind: "answer", status: 403, body: JSON.stringify({ kind: "Status", status: "Failure", reason: "Forbidden", code: 403 }) },
} as const;

// Without `by` in StopRun, the log line and the Event name the run's owner, even if the API server says who cancelled. Without userName
// (open-connection.ts), whoever has their reviews throttled stays unnamed.
test.each([
  ["whom the cluster has named before", "throttled"],
  ["whom the cluster doesn't name", "denied"],
] as const)("a run that somebody cancels %s, and that isn't theirs, doesn't name its owner for it", async (_, review) => {
  const lines: { action?: string; by?: string | null; message: string }[] = [];
  logActionsTo((line) => lines.push(JSON.parse(line)));
  onTestFinished(() => logActionsTo((line) => console.log(line)));
  const definition = await bench.stale(60);
  const [owner, other] = [await restrictedUser(api, rights(definition)), await restrictedUser(api, rights(definition))];
  const proxy = await faultProxy(cluster);
  await chooseContexts(cluster, { name: cluster.context, server: proxy.server });
  const [own, others] = [
    await connect(cluster.context, { kind: "bearer", token: owner.token }),
    await connect(cluster.context, { kind: "bearer", token: other.token }),
  ];
  own.keepFor(owner.name);
  others.keepFor(review === "throttled" ? other.name : null);
  const isReview: Match = ({ path, headers }) =>
    path.includes("selfsubjectreviews") && (headers.authorization?.includes(other.token) ?? false);
  proxy.inject(isReview, { ...unanswered[review], headers: { "content-type": "application/json" } });

  const { id } = await benchOn(cluster, api, own).start(definition, { maxPerSecond: 1 });
  const known = () => benchOn(cluster, api, others).run(definition, id);
  await expect
    .poll(() =>
      known().then(
        (run) => run.id,
        () => null,
      ),
    )
    .toBe(id);
  const cancelled = await cancelRewrite(others, definition.name, id, soon());
  await untilRecorded();

  const by = review === "throttled" ? other.name : null;
  const statusReason = `Cancelled by ${by ?? "somebody whom the cluster doesn't name"}.`;
  expect(cancelled).toMatchObject({ phase: "cancelled", statusReason, startedBy: owner.name });
  expect(lines.find(({ action }) => action === "cancelled")).toMatchObject({ by, message: expect.stringContaining(statusReason) });
  // Nor is what they start themselves.
  const next = await benchOn(cluster, api, others).start(definition, { maxPerSecond: 1 });
  expect(next.startedBy).toBe(by ?? "unknown");
  await cancelRewrite(others, definition.name, next.id, soon());
  const { items } = await readHistory(own, definition.name, soon());
  const entry = items.find(({ kind, run }) => kind === "cancelled" && run === id);
  expect(entry).toMatchObject({ by: by && { user: by, from: "event" }, sources: ["annotation", "event"] });
});
