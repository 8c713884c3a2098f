import { setImmediate } from "node:timers/promises";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { UNKNOWN_USER } from "#lib/domain/audit/known-user.ts";
import { EMPTY_RECORD } from "#lib/domain/record/rewrite-record.ts";
import { sampleCrd, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import type { updateRecord } from "#lib/rewrite/record/update-record.ts";
import { type Beginning, keepRunning, stopRunning, whileBeginning } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { cancelRewrite } from "./cancel-rewrite.ts";
import { controlHere } from "./control-here.ts";
import { resumeRewrite } from "./resume-rewrite.ts";

/**
 * What happens while the cluster is asked for the run, for the person's name, for their right, which they have only if it says so, or for a
 * change of the record, which nothing writes; which uid it says that the definition has, and whether its record is that of the run here.
 */
const meanwhile = vi.hoisted(() => ({
  uid: "here",
  isItsRecord: true,
  read: () => {},
  who: (): unknown => null,
  may: (): unknown => false,
  migrations: () => {},
  write: () => {},
}));

vi.mock("#lib/cluster/history/read-runs.ts", async (original) => ({
  ...(await original<object>()),
  readRun: async () => {
    meanwhile.read();
    return sampleRun({ id: "r", phase: "rewriting" });
  },
}));
vi.mock("#lib/cluster/definitions/crds.ts", async (original) => ({
  ...(await original<object>()),
  readCrd: async () => ({ crd: sampleCrd({ uid: meanwhile.uid }), serverTime: null }),
}));
vi.mock("#lib/cluster/rights/read-rights.ts", async (original) => ({
  ...(await original<object>()),
  whoAmI: async () => {
    return meanwhile.who() ?? "mallory";
  },
  mayI: async () => {
    return { allowed: meanwhile.may() === true, reason: "" };
  },
}));
vi.mock("#lib/cluster/migrations/list-migrations.ts", async (original) => ({
  ...(await original<object>()),
  readMigrationsOf: async () => meanwhile.migrations(),
}));
vi.mock("#lib/rewrite/record/update-record.ts", async (original) => ({
  ...(await original<object>()),
  updateRecord: async (...[, , change]: Parameters<typeof updateRecord>) => {
    meanwhile.write();
    const crd = sampleCrd();
    change(crd, { ...EMPTY_RECORD, runs: [sampleRun({ id: "r", phase: "interrupted" })] }, Date.now());
    return crd;
  },
}));

const crd = sampleRun().crd;
const server = "https://a.example.com";
const connection = { name: "a", server, audience: "a\nmallory", userName: () => null } as Partial<Connection> as Connection;
const soon = () => AbortSignal.timeout(10_000);

const key = { crd, id: "r" };

afterEach(() => {
  Object.assign(meanwhile, {
    uid: "here",
    isItsRecord: true,
    read: () => {},
    who: () => null,
    may: () => false,
    migrations: () => {},
    write: () => {},
  });
});

/**
 * Alice's run, or another person's, which begins here now, in a context and a cluster; ends with the test. An interrupted one can't record
 * that.
 */
function begins(context = "a", cluster = server, phase: "rewriting" | "interrupted" = "rewriting", whose = "alice") {
  const pacer = createPacer(null);
  const current = () => sampleRun({ id: "r", crd, phase });
  const ending = phase === "interrupted";
  const control = {
    connection,
    audience: `${context}\n${whose}`,
    cluster,
    person: whose,
    uid: "here",
    pacer,
    current,
    publish: current,
    expectRecord: () => () => meanwhile.isItsRecord,
    noteReason: vi.fn(),
    ending,
  };
  const stopped: unknown[] = [];
  const untilStopped = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  keepRunning(key, control, async (signal) => {
    await untilStopped(signal);
    stopped.push(signal.reason);
  });
  onTestFinished(async () => {
    await stopRunning(key, new StopRun("cancelled", ""));
  });
  return { ...control, stopped };
}

// Whoever asked while nobody ran it was asked for no right, and could wait for its beginning.
test("a run that begins here while somebody without the right asks for its controls obeys only those who have it", async () => {
  meanwhile.read = () => void begins();
  await expect(controlHere(connection, crd, "r", soon())).rejects.toMatchObject({ code: "forbidden" });
});

test("a run of another context that begins here meanwhile is not found", async () => {
  meanwhile.read = () => void begins("b");
  await expect(controlHere(connection, crd, "r", soon())).rejects.toMatchObject({ code: "not_found" });
});

const addressBefore = "https://before.example.com";

// Without elsewhere (require-run-access.ts), a cluster that the context is pointed to says who may control what runs in the one before, and
// one's own run there is stopped in place of its copy. Without the uid, whoever started it is told that it doesn't exist.
test.each([
  ["another person's run of the cluster that the context led to before is not found", "alice", "of another cluster", "not_found"],
  [
    "another person's run is not theirs to control where a clone of its cluster, or only another address, grants rights",
    "alice",
    "here",
    "conflict",
  ],
  ["one's own run of the cluster that the context led to before is not found", "mallory", "of another cluster", "not_found"],
  ["one's own run isn't stopped in place of its copy in a clone of its cluster", "mallory", "here", "conflict", false],
])("%s", async (_, whose, uid, code, isItsRecord = true) => {
  const { stopped } = begins("a", addressBefore, "rewriting", whose);
  Object.assign(meanwhile, { uid, isItsRecord, may: () => true });
  for (const control of [controlHere, cancelRewrite]) {
    await expect(control(connection, crd, "r", soon())).rejects.toMatchObject({ code });
  }
  expect(stopped).toEqual([]);
});

// With the address alone (require-run-access.ts), crdshift says that there is no such run.
test("whoever started a run controls it after the context was given another address of its cluster", async () => {
  const { stopped } = begins("a", addressBefore, "rewriting", "mallory");
  expect(await controlHere(connection, crd, "r", soon())).toMatchObject({ cluster: addressBefore });
  // The fleet of such a connection can't read how it ended.
  await cancelRewrite(connection, crd, "r", soon()).catch(() => {});
  expect(stopped).toMatchObject([{ phase: "cancelled" }]);
});

test("a run that begins, and is paused, while somebody without the right resumes it, stays paused", async () => {
  let control: ReturnType<typeof begins> | undefined;
  meanwhile.who = () => {
    control = begins();
    control.pacer.pause();
  };
  const resuming = resumeRewrite(connection, crd, "r", { reason: "because I want it", settleSeconds: 0, signal: soon() });
  await expect(resuming).rejects.toMatchObject({ code: "forbidden" });
  expect(control?.pacer.paused()).not.toBe("no");
  expect(control?.noteReason).not.toHaveBeenCalled();
});

/** A person's resumption of the run, whose record is being written until it is answered, or the test ends. */
function resumes(audience: string): { beginning: Beginning; answer: () => void } {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let beginning: Beginning | undefined;
  const written = whileBeginning({ audience, cluster: server, person: audience, crd }, async (mine) => {
    Object.assign(mine, { run: sampleRun({ id: "r", crd, phase: "settling" }), uid: "here" });
    beginning = mine;
    await answered;
  });
  onTestFinished(() => {
    answer();
    return written;
  });
  if (!beginning) throw new Error("It begins at once.");
  return { beginning, answer };
}

// Only the first one's credentials were compared, so a resumption of one's own opened everybody's.
test("whoever resumes a run without the right to does not cancel it as another person resumes it", async () => {
  resumes(connection.audience);
  const alices = resumes("a\nalice");
  await expect(cancelRewrite(connection, crd, "r", soon())).rejects.toMatchObject({ code: "forbidden" });
  expect(alices.beginning.stop).toBeNull();
});

// The name was asked for after the right, so her run ended as it began.
test("whoever cancels an interrupted run without the right to does not cancel it as it is resumed meanwhile", async () => {
  let alices: ReturnType<typeof resumes> | undefined;
  meanwhile.who = () => {
    alices ??= resumes("a\nalice");
  };
  await expect(cancelRewrite(connection, crd, "r", soon())).rejects.toMatchObject({ code: "forbidden" });
  expect(alices?.beginning.stop).toBeNull();
});

// Without isAsked (cancel-rewrite.ts), somebody whom the cluster doesn't name is asked for again, after the right, so her run is stopped.
test("whoever has no name, and cancels an interrupted run without the right to, does not stop it as it begins", async () => {
  let begun: ReturnType<typeof begins> | undefined;
  let asked = 0;
  meanwhile.who = () => {
    asked += 1;
    if (asked > 1) begun ??= begins();
    return UNKNOWN_USER;
  };
  meanwhile.write = () => {
    begun ??= begins();
  };
  await expect(cancelRewrite(connection, crd, "r", soon())).rejects.toMatchObject({ code: "forbidden" });
  expect({ asked, stopped: begun?.stopped }).toEqual({ asked: 1, stopped: [] });
});

// Others' commands wait for a beginning, and the API server would refuse it only then.
test("whoever may not patch the definition can't begin to resume a run", async () => {
  meanwhile.migrations = () => {
    throw new Error("It went on.");
  };
  const resuming = resumeRewrite(connection, crd, "r", { settleSeconds: 0, signal: soon() });
  await expect(resuming).rejects.toMatchObject({ code: "forbidden" });
});

// Whose run it is was asked once, before it began, so the cancellation was recorded as its owner's own.
test("a run that begins here as another person's while somebody cancels it names who did", async () => {
  let begun: ReturnType<typeof begins> | undefined;
  meanwhile.may = () => true;
  meanwhile.who = () => {
    begun = begins();
  };
  // The fleet of such a connection can't read how it ended.
  await cancelRewrite(connection, crd, "r", soon()).catch(() => {});
  expect(begun?.stopped).toMatchObject([{ phase: "cancelled", message: "Cancelled by mallory.", by: "mallory" }]);
});

// Without lacksName (cancel-rewrite.ts), whoever cancels their own run is never asked for a name, and stays unnamed.
test("a run that begins as another person's, not as the one's who cancels it, names who did", async () => {
  const mine = resumes(connection.audience);
  meanwhile.may = () => true;
  const cancelled = cancelRewrite(connection, crd, "r", soon()).catch(() => {});
  await vi.waitFor(() => expect(mine.beginning.stop).not.toBeNull());
  const begun = begins();
  mine.answer();
  await cancelled;
  expect(begun.stopped).toMatchObject([{ message: "Cancelled by mallory.", by: "mallory" }]);
});

// Without the second requireRunAccess (resume-rewrite.ts), crdshift gives up recording how her run ended.
test("whoever resumes a run as their own doesn't end another person's that has taken its place", async () => {
  const mine = resumes(connection.audience);
  const resuming = resumeRewrite(connection, crd, "r", { settleSeconds: 0, signal: soon() });
  const refused = expect(resuming).rejects.toMatchObject({ code: "forbidden" });
  // It waits for its own beginning.
  await setImmediate();
  const { stopped } = begins("a", server, "interrupted");
  mine.answer();
  await refused;
  expect(stopped).toEqual([]);
});
