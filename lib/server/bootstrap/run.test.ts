import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";

/** Ends once it hears that it should, and says by what. */
const command = `
  for (const name of ["disconnect", "SIGTERM"]) process.once(name, () => { console.log(name); process.exit(); });
  console.log("at work");
  setTimeout(() => console.log("left alone"), 20_000);`;
const starter = `
  import { run } from ${JSON.stringify(new URL("./run.mjs", import.meta.url).href)};
  const running = run(process.execPath, ["--eval", ${JSON.stringify(command)}], { tied: true });
  console.log("watched");
  await running;`;
/** As npm does: the script in a shell, which waits for it. */
const npm = `
  import { spawn } from "node:child_process";
  const env = { ...process.env, npm_lifecycle_event: "start", STARTER: ${JSON.stringify(starter)} };
  spawn("sh", ["-c", '"$0" --input-type=module --eval "$STARTER"; exit $?', process.execPath], { env, stdio: "inherit" });`;

/** As npm does where it can't write its first line. */
const npmGoneAtOnce = `
  import { spawn } from "node:child_process";
  const env = { ...process.env, npm_lifecycle_event: "start", STARTER: ${JSON.stringify(starter)} };
  const script = 'sleep 0.5; "$0" --input-type=module --eval "$STARTER"; exit $?';
  spawn("sh", ["-c", script, process.execPath], { env, stdio: "inherit" }).unref();`;

/** The process, and the lines that the command says. */
function startModule(script: string): { child: ChildProcess; lines: AsyncIterator<string> } {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

test.each([
  ["what started it gets SIGKILL", starter, "SIGKILL", "disconnect"],
  ["what started it gets SIGTERM", starter, "SIGTERM", "SIGTERM"],
  ["npm gets SIGKILL, and its shell stays", npm, "SIGKILL", "SIGTERM"],
] as const)("a tied command ends when %s", async (_, script, signal, heard) => {
  const { child, lines } = startModule(script);
  expect([(await lines.next()).value, (await lines.next()).value].toSorted()).toEqual(["at work", "watched"]);
  child.kill(signal);
  expect((await lines.next()).value).toBe(heard);
});

// Without isAdopted (watch-npm.mjs) the command stays: what the system gave the shell as its parent never ends.
test("a tied command ends if npm was gone before it began, and its shell stays", async () => {
  const { lines } = startModule(npmGoneAtOnce);
  expect([(await lines.next()).value, (await lines.next()).value].toSorted()).toEqual(["at work", "watched"]);
  expect((await lines.next()).value).toBe("SIGTERM");
});
