import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { serverArguments } from "#lib/server/bootstrap/start.mjs";

/** crdshift as a separate process, as people start it. */
export interface Dashboard {
  url: string;
  pid: number;
  /** Resolves with the exit code once it has ended, or null if a signal ended it. */
  exited: Promise<number | null>;
  /** Its output so far, on both streams. */
  output(): string;
  /** Nobody reads its output from now on, as where a log shipper dies. */
  closeOutput(): void;
  /** Sends a signal, such as SIGSTOP or SIGCONT, without waiting for its effect. */
  signal(name: NodeJS.Signals): void;
  /** Ends it, by default with SIGTERM. Resolves with the exit code once it has ended. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The settings of lib/settings/env.ts, the demo's folder, and flags for Node.js. */
export interface DashboardEnv {
  KUBECONFIG?: string;
  PORT?: string;
  /** As in a pod; unused with a KUBECONFIG. */
  KUBERNETES_SERVICE_HOST?: string;
  XDG_DATA_HOME?: string;
  NODE_OPTIONS?: string;
  [setting: `CRDSHIFT_${string}`]: string;
}

/** Signs in scripts to every dashboard that this process starts in `local` mode. */
export const scriptToken = randomBytes(32).toString("base64url");

/** Shared by all dashboards of this process, so that a browser's cookie works for each of them. */
const sessions = { CRDSHIFT_SESSION_KEYS: randomBytes(32).toString("base64"), CRDSHIFT_INSTANCE: "test" };

/** What starts the server: the test itself, or what people run, which takes the signals then. */
export type Starter = "test" | "bootstrap" | "npm";

const commands: Record<Starter, [file: string, ...args: string[]]> = {
  test: [process.execPath, ...serverArguments],
  bootstrap: [process.execPath, "lib/server/bootstrap.mjs", "start"],
  npm: ["npm", "start", "--"],
};

/** Starts the built app on a free port. Throws with its output if it doesn't start. It ends with this process. */
export async function startDashboard(env: DashboardEnv, args: string[] = [], starter: Starter = "test"): Promise<Dashboard> {
  const isLocal = [undefined, "", "local"].includes(env.CRDSHIFT_MODE);
  const [file, ...first] = commands[starter];
  const child = spawn(file, [...first, "--no-open", ...args], {
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
    closeOutput() {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    },
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
