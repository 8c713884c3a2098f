import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { serverArguments } from "#lib/server/bootstrap/server-arguments.mjs";

/** crdshift as a process of its own, as people start it. */
export interface Dashboard {
  url: string;
  pid: number;
  /** Settles with the exit code once it is gone, with null when a signal ended it. */
  exited: Promise<number | null>;
  /** What it has printed so far, on both streams. */
  output(): string;
  /** Sends a signal without waiting for what it does: SIGSTOP and SIGCONT, too. */
  signal(name: NodeJS.Signals): void;
  /** Ends it: SIGTERM unless told otherwise. Resolves with its exit code once it is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** What lib/settings/env.ts reads, the folder of the demo, and flags for Node.js. */
export interface DashboardEnv {
  KUBECONFIG?: string;
  PORT?: string;
  /** As in a pod; with a KUBECONFIG it is not asked. */
  KUBERNETES_SERVICE_HOST?: string;
  XDG_DATA_HOME?: string;
  NODE_OPTIONS?: string;
  [setting: `CRDSHIFT_${string}`]: string;
}

/** With it scripts are signed in to every dashboard that this process starts in the mode `local`. */
export const scriptToken = randomBytes(32).toString("base64url");

/** The same for all that this process starts, so that a browser's cookie of one is good for the others. */
const sessions = { CRDSHIFT_SESSION_KEYS: randomBytes(32).toString("base64"), CRDSHIFT_INSTANCE: "test" };

/** Starts the built app on a free port. Throws with what it printed when it does not come up. It does not outlive this process. */
export async function startDashboard(env: DashboardEnv, args: string[] = []): Promise<Dashboard> {
  const isLocal = [undefined, "", "local"].includes(env.CRDSHIFT_MODE);
  const child = spawn(process.execPath, [...serverArguments, "--no-open", ...args], {
    env: {
      ...process.env,
      ...{ PORT: "0", HOST: "127.0.0.1", NODE_ENV: "production", KUBERNETES_SERVICE_HOST: "" },
      ...{ CRDSHIFT_SETTLE_SECONDS: "2", CRDSHIFT_TOKEN: isLocal ? scriptToken : "", ...sessions },
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  void exited.then(() => process.off("exit", kill));

  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const url = await readUrl(child, () => output);
  return {
    url,
    pid: child.pid ?? -1,
    exited,
    output: () => output,
    signal: (name) => void child.kill(name),
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return exited;
    },
  };
}

function readUrl(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", () => {
      const url = /ready at (http:\S+)\s/.exec(output())?.[1];
      if (url) resolve(url);
    });
    child.once("error", reject);
    child.once("close", () => reject(new Error(`The dashboard did not start:\n${output()}`)));
  });
}
