import { expect, test } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { errorBodySchema } from "#lib/contract/error.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { localTime } from "#lib/domain/wording/local-time.ts";
import { createOutput, progressLine } from "./output.ts";

function printed(format: "table" | "json", { terminal }: { terminal: boolean }) {
  const text = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof text, isTTY: boolean) => ({
    isTTY,
    columns: 80,
    write(words: string, done: () => void) {
      text[name] += words;
      done();
      return true;
    },
  });
  const output = createOutput({
    ...{ format, stdout: sink("stdout", false), stderr: sink("stderr", terminal) },
    paint: (words) => words,
    kubectl: "kubectl --context=prod",
  });
  return { text, output };
}

const refusal = new AppError("precondition_failed", "It is held back.", { nextStep: "Put spec.throughStatus into the schema." });

test("without a terminal, progress, notices and the log are lines of JSON, one per second and phase", () => {
  const { text, output } = printed("table", { terminal: false });
  output.progress({ event: "run", data: sampleRun() });
  output.progress({ event: "run", data: sampleRun({ renewedAt: "2026-01-02T12:00:01.000Z" }) });
  output.progress({ event: "run", data: sampleRun({ phase: "verifying" }) });
  output.progress({ event: "run", data: sampleRun({ phase: "verifying", command: "cancel" }) });
  output.notice("Cancelling.");
  output.log('{"level":"info"}');
  const lines = text.stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([
    { event: "run", data: sampleRun() },
    { event: "run", data: sampleRun({ phase: "verifying" }) },
    { event: "run", data: sampleRun({ phase: "verifying", command: "cancel" }) },
    { event: "notice", data: { message: "Cancelling." } },
    { level: "info" },
  ]);
});

test("on a terminal, redraws one line, clears it before printing text, and leaves out the log", async () => {
  const { text, output } = printed("table", { terminal: true });
  output.progress({ event: "run", data: sampleRun() });
  output.progress({ event: "run", data: sampleRun() });
  output.log('{"level":"info"}');
  await output.result(sampleRun(), "Proven.");
  expect(text.stderr.replaceAll("\r\u001b[2K", "<clear>")).toMatch(/^rewriting [^<\r\n]+<clear>rewriting [^<\r\n]+<clear>$/);
  expect(text.stdout).toBe("Proven.\n");
});

test("on a terminal, says how many definitions' objects are counted", () => {
  const { text, output } = printed("table", { terminal: true });
  output.progress({ event: "counting", data: { phase: "counting", counted: 1_500, definitions: 2_000 } });
  expect(text.stderr).toMatch(/^counting ━+─+ {2}75% {2}objects of 1,500\/2,000 definitions$/);
});

test("on a terminal, shows only warnings from the log", () => {
  const { text, output } = printed("table", { terminal: true });
  output.log(JSON.stringify({ level: "warn", message: "No Event could be written. Forbidden:\n\u001b[2Jevents" }));
  output.log(JSON.stringify({ level: "info", message: "It was started." }));
  expect(text.stderr).toBe("No Event could be written. Forbidden: ^[[2Jevents\n");
});

test("an error that quotes the cluster can't pass for a line from crdshift", async () => {
  const { text, output } = printed("table", { terminal: true });
  const forged = "no\nPhase: succeeded";
  await output.error(new AppError("cluster_rejected", forged, { clusterMessage: forged, nextStep: "Fix it." }));
  expect(text.stderr).toBe("Error: no\n  Phase: succeeded\nCause: no Phase: succeeded\nFix it.\n");
});

test("JSON contains no terminal control characters and parses back unchanged", async () => {
  const { text, output } = printed("json", { terminal: false });
  const name = "\u001b[2J\u007f\u009b1m\u202etxt.exe\u2066\u200f\u200e\u061c\u2028\u2029";
  await output.result({ name }, "");
  output.log(`{"message":"${"\u009b"}"}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text.stdout + text.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
  expect(JSON.parse(text.stdout)).toEqual({ name });
  expect(JSON.parse(text.stderr)).toEqual({ message: "\u009b" });
});

test("text from the cluster can't control the terminal", async () => {
  const { text, output } = printed("table", { terminal: true });
  await output.result(null, "red \u001b[31m\u009b1m\u202e\tand on\nthe next line\u2028\u2029\u200e\u200f\u061cto its end");
  expect(text.stdout).toBe(`red ^[[31m\uFFFD1m\uFFFD  and on\nthe next line${"\uFFFD".repeat(5)}to its end\n`);
});

test("prints an error as text on standard error and leaves names from the cluster alone", async () => {
  const { text, output } = printed("table", { terminal: false });
  await output.error(refusal);
  expect(text).toEqual({ stdout: "", stderr: "Error: It is held back.\nPut spec.throughStatus into the schema.\n" });
});

test("prints the times of its own sentences in local time, and those of the cluster as they are", async () => {
  const { text, output } = printed("table", { terminal: true });
  const at = "2025-12-24 11:59 UTC";
  await output.error(new AppError("conflict", `Started at ${at}.`, { clusterMessage: `Locked at ${at}.` }));
  expect(text.stderr).toBe(`Error: Started at ${localTime("2025-12-24T11:59:00Z", Date.now())}.\nCause: Locked at ${at}.\n`);
});

// Pasted without it, the command changes the cluster that is current.
test("kubectl commands name the cluster that was chosen", async () => {
  const { text, output } = printed("table", { terminal: true });
  const own = { clusterMessage: "kubectl get x", nextStep: "Run kubectl annotate customresourcedefinition x y-" };
  await output.error(new AppError("conflict", "No.", own));
  expect(text.stderr).toBe("Error: No.\nCause: kubectl get x\nRun kubectl --context=prod annotate customresourcedefinition x y-\n");
  for (const tell of [
    () => output.notice(own.nextStep),
    () => output.log(JSON.stringify({ level: "warn", message: own.nextStep })),
    () => output.result(null, own.nextStep),
  ]) {
    text.stdout = "";
    text.stderr = "";
    await tell();
    expect(text.stdout + text.stderr).toBe("Run kubectl --context=prod annotate customresourcedefinition x y-\n");
  }
});

test("with json, standard output is one document: the result, or the error in the HTTP API's shape", async () => {
  const done = printed("json", { terminal: false });
  await done.output.result(sampleRun(), "Proven.");
  expect(JSON.parse(done.text.stdout)).toEqual(sampleRun());
  const failed = printed("json", { terminal: false });
  await failed.output.error(refusal);
  expect(errorBodySchema.parse(JSON.parse(failed.text.stdout)).error).toMatchObject({ code: "precondition_failed" });
  expect(failed.text.stderr).toBe("");
});

const now = Date.parse("2026-01-02T12:00:00.000Z");
const line = (run: Parameters<typeof sampleRun>[0], width = 80, paint = (text: string) => text) =>
  progressLine({ event: "run", data: sampleRun(run) }, { width, now, paint, kubectl: "kubectl --context=prod" });

test("shows a bar in proportion to progress, the rate and the time left", () => {
  expect(line({})).toBe(`rewriting ${"━".repeat(10)}${"─".repeat(16)}  40%  40/100  20/s  3 s left`);
});

test("colors only the completed part", () => {
  expect(line({}, 80, (text) => `<${text}>`)).toContain(`rewriting <${"━".repeat(10)}>──`);
});

test("counts down while settling, with the reason", () => {
  const settling = { phase: "settling", settlesAt: "2026-01-02T12:00:23.400Z", statusReason: "The spec changed." } as const;
  expect(line(settling)).toBe("settling  24 s left  The spec changed.");
});

test("the command that progress suggests names the cluster that was chosen", () => {
  const statusReason = "Delete the Lease: kubectl delete lease --namespace kube-system one";
  expect(line({ phase: "settling", settlesAt: null, statusReason }, 120)).toContain("kubectl --context=prod delete lease --namespace");
});

test("shows no bar while the total is unknown", () => {
  const counts = { total: null, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: null };
  expect(line({ counts, ratePerSecond: null, etaSeconds: null })).toBe("rewriting");
});

test.each([20, 40, 80, 200])("is never wider than %s columns", (width) => {
  const text = line({ statusReason: `wait\n\u001b[2J ${"because ".repeat(50)}`, command: "cancel" }, width);
  expect(text.length).toBeLessThanOrEqual(width);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text).not.toMatch(/[\u0000-\u001f]/);
  expect(text).toMatch(/^cancelling/);
});

test("shows how many objects a dry run has tried", () => {
  const data = { phase: "running", dryRun: { planned: 200, checked: 100 }, message: null };
  // The line uses no other fields.
  const event = { event: "dry-run", data } as unknown as Parameters<typeof progressLine>[0];
  expect(progressLine(event, { width: 60, now, paint: (text) => text, kubectl: "kubectl" })).toBe(
    `dry run ${"━".repeat(10)}${"─".repeat(10)}  50%  100/200 tried`,
  );
});
