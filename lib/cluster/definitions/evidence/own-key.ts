import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, fstatSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { type Env, readSetting } from "#lib/settings/env.ts";

const KEY_BYTES = 32;

/** The key that signs evidence without CRDSHIFT_SESSION_KEYS: the user's, if takeUserKey took it, or else one of this process. */
export function ownKey(): Buffer {
  return held().key;
}

/** Whether the next process recognizes what this one signs. */
export function signsForOthers(): boolean {
  return readSetting("CRDSHIFT_SESSION_KEYS").length > 0 || held().isUsers;
}

type KeyEnv = Pick<
  Env,
  "CRDSHIFT_SESSION_KEYS" | "CRDSHIFT_MODE" | "CRDSHIFT_CONTAINER" | "KUBERNETES_SERVICE_HOST" | "XDG_STATE_HOME" | "HOME"
>;

/**
 * Makes this process sign evidence with the key in its user's state folder, so that the next process of that user recognizes it. Creates
 * the key if there is none. Does nothing where keys are configured, other people sign in, or the folder may not be one person's: in a
 * container, or where files have no owner. Returns why the key can't be used, with what to do; null if that isn't so.
 */
export function takeUserKey(env: KeyEnv): string | null {
  const file = keyFile(env);
  if (file === null) return null;
  try {
    Object.assign(held(), { key: readKey(file), isUsers: true });
    return null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return (
      `crdshift can't use the key in ${file}: ${why}. So the next process has to verify this one's proofs again. ` +
      "Delete the file, or choose another folder with XDG_STATE_HOME, or set CRDSHIFT_SESSION_KEYS."
    );
  }
}

function held(): { key: Buffer; isUsers: boolean } {
  return processWide("record-key", () => ({ key: randomBytes(KEY_BYTES), isUsers: false }));
}

function keyFile({ HOME: home, XDG_STATE_HOME: state, ...env }: KeyEnv): string | null {
  if (env.CRDSHIFT_SESSION_KEYS.length > 0 || !["", "local"].includes(env.CRDSHIFT_MODE)) return null;
  if (env.CRDSHIFT_CONTAINER || env.KUBERNETES_SERVICE_HOST !== "" || process.getuid === undefined) return null;
  // The XDG base directory specification: relative paths must be ignored.
  if (path.isAbsolute(state)) return path.join(state, "crdshift", "key");
  return path.isAbsolute(home) ? path.join(home, ".local", "state", "crdshift", "key") : null;
}

function readKey(file: string): Buffer {
  if (!existsSync(file)) createKey(file);
  // Whatever else has that name must neither redirect nor hold up the process.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { uid, mode } = fstatSync(descriptor);
    if (uid !== process.getuid?.()) throw new Error("it belongs to another user");
    if ((mode & 0o077) !== 0) throw new Error("other users may read or write it");
    const key = Buffer.from(readFileSync(descriptor, "utf8"), "base64");
    if (key.length !== KEY_BYTES) throw new Error("it holds no key");
    return key;
  } finally {
    closeSync(descriptor);
  }
}

/** Creates the file, unless another process does so first. It appears with its content, so no one reads half of it. */
function createKey(file: string): void {
  makeFolder(path.dirname(file));
  const made = `${file}.${randomUUID()}`;
  try {
    writeFileSync(made, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flag: "wx" });
    linkSync(made, file);
  } catch (error) {
    if (!isThere(error)) throw error;
  } finally {
    rmSync(made, { force: true });
  }
}

/**
 * Makes the folder and those that it is in. Node's recursive mkdirSync never returns where a folder is there but takes no new ones and says
 * that there is none: one that was deleted while mounted, or /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!isThere(error)) throw error;
  }
}

/** Whether another process has made it meanwhile. */
function isThere(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

/** Two steps of which the second relies on what the first has recorded, with what to set if only this process believes that. */
export function underOneKey(steps: string): string {
  return signsForOthers() ? steps : `${steps} If those are two commands, set CRDSHIFT_SESSION_KEYS for both.`;
}
