import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { sampleCrd, sampleProof } from "#lib/domain/testing/sample-crd.ts";
import { forgetOne } from "#lib/process-wide/testing/forget-one.ts";
import { readEnv } from "#lib/settings/env.ts";
import { hasOurSignature, signed } from "./evidence-signature.ts";
import { signsForOthers, takeUserKey } from "./own-key.ts";

/** A user's new home folder, and the key in it. */
function newHome(): { HOME: string; file: string } {
  const HOME = mkdtempSync(path.join(tmpdir(), "crdshift-home-"));
  onTestFinished(() => rmSync(HOME, { recursive: true }));
  return { HOME, file: path.join(HOME, ".local/state/crdshift/key") };
}

const beginProcess = () => forgetOne("record-key");
const proof = sampleProof(sampleCrd());
const configured = Buffer.alloc(32, 7).toString("base64");

/** Whether the next process believes what a process with this environment signs; and the problem that it tells. */
function signsOn(env: Record<string, string>): { problem: string | null; isBelieved: boolean } {
  beginProcess();
  const problem = takeUserKey(readEnv(env));
  const ours = signed(proof);
  const expected = signsForOthers();
  beginProcess();
  takeUserKey(readEnv(env));
  const isBelieved = hasOurSignature(ours);
  expect(isBelieved).toBe(expected);
  return { problem, isBelieved };
}

beforeEach(() => {
  vi.stubEnv("CRDSHIFT_SESSION_KEYS", "");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    beginProcess();
  });
});

test("a user's processes sign with one key, in a file that only that user can read", () => {
  const { HOME, file } = newHome();
  expect(signsOn({ HOME })).toEqual({ problem: null, isBelieved: true });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(path.dirname(file))).toEqual(["key"]);
  const key = readFileSync(file, "utf8");
  expect(signsOn({ HOME })).toEqual({ problem: null, isBelieved: true });
  expect(readFileSync(file, "utf8")).toBe(key);
});

test("XDG_STATE_HOME has the key, unless its path is relative", () => {
  const { HOME, file } = newHome();
  const other = newHome().HOME;
  expect(signsOn({ HOME, XDG_STATE_HOME: other })).toMatchObject({ isBelieved: true });
  expect(readdirSync(other)).toEqual(["crdshift"]);
  expect(readdirSync(HOME)).toEqual([]);
  expect(signsOn({ HOME, XDG_STATE_HOME: "state" })).toMatchObject({ isBelieved: true });
  expect(statSync(file).isFile()).toBe(true);
});

// Without keyFile's conditions (own-key.ts) a crdshift that others sign in to signs with a key of whoever started it.
test.each([
  ["in token mode", { CRDSHIFT_MODE: "token" }],
  ["where everyone reads", { CRDSHIFT_MODE: "unsafe-shared-readonly" }],
  ["in a container", { CRDSHIFT_CONTAINER: "1" }],
  ["in a pod", { KUBERNETES_SERVICE_HOST: "10.0.0.1" }],
  ["with configured keys", { CRDSHIFT_SESSION_KEYS: configured }],
  ["without a home folder", { HOME: "" }],
])("%s, no key of the user is read or made", (_, env) => {
  const { HOME } = newHome();
  expect(signsOn({ HOME, ...env })).toEqual({ problem: null, isBelieved: false });
  expect(readdirSync(HOME)).toEqual([]);
});

// Without the check of the file (readKey in own-key.ts) whoever can read or plant it signs proofs that this user's prune relies on.
test.each<[name: string, spoil: (file: string) => void, why: string]>([
  ["others can read", (file) => chmodSync(file, 0o640), "other users may read or write it"],
  ["is a link", (file) => link(file), "ELOOP"],
  ["holds something else", (file) => writeFileSync(file, "crdshift\n"), "it holds no key"],
])("a key that %s signs nothing, and the log says what to do", (_, spoil, why) => {
  const { HOME, file } = newHome();
  expect(signsOn({ HOME })).toMatchObject({ isBelieved: true });
  const ours = signed(proof);
  spoil(file);
  const { problem, isBelieved } = signsOn({ HOME });
  expect(isBelieved).toBe(false);
  expect(hasOurSignature(ours)).toBe(false);
  expect(problem).toContain(why);
  expect(problem).toMatch(/Delete the file, or choose another folder with XDG_STATE_HOME, or set CRDSHIFT_SESSION_KEYS\.$/);
  rmSync(file);
  expect(signsOn({ HOME })).toEqual({ problem: null, isBelieved: true });
});

test("a key that belongs to another user signs nothing", () => {
  const { HOME } = newHome();
  expect(signsOn({ HOME })).toMatchObject({ isBelieved: true });
  const getuid = vi.spyOn(process, "getuid").mockReturnValue(4_711);
  onTestFinished(() => getuid.mockRestore());
  expect(signsOn({ HOME })).toMatchObject({ isBelieved: false, problem: expect.stringContaining("it belongs to another user") });
});

// Without makeFolder (own-key.ts) crdshift never starts, and no signal but SIGKILL ends it.
test.skipIf(process.platform !== "linux")("a state folder that takes no new folders signs nothing, and the log says why", () => {
  const script = `
    import { takeUserKey } from ${JSON.stringify(new URL("./own-key.ts", import.meta.url).href)};
    import { readEnv } from "#lib/settings/env.ts";
    console.log(takeUserKey(readEnv({ XDG_STATE_HOME: "/proc/state" })));`;
  const { stdout, signal } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    ...{ encoding: "utf8", timeout: 30_000, killSignal: "SIGKILL" },
  });
  expect(signal).toBeNull();
  expect(stdout).toMatch(/can't use the key in \/proc\/state\/crdshift\/key: ENOENT: .* mkdir '\/proc\/state'/);
});

function link(file: string): void {
  const target = `${file}-elsewhere`;
  writeFileSync(target, readFileSync(file), { mode: 0o600 });
  rmSync(file);
  symlinkSync(target, file);
}
