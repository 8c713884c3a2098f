import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { serverArguments } from "#lib/server/bootstrap/server-arguments.mjs";

/** crdshift as a process of its own, as people start it. */
export interface Dashboard {
  url: string;
  pid: number;
  /** Ends it: SIGTERM unless told otherwise. Resolves with its exit code once it is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface DashboardEnv {
  KUBECONFIG?: string;
  CRDSHIFT_SETTLE_SECONDS?: string;
  PORT?: string;
  XDG_DATA_HOME?: string;
}

/** Starts the built app on a free port. Throws with what it printed when it does not come up. */
export async function startDashboard(env: DashboardEnv, args: string[] = []): Promise<Dashboard> {
  const child = spawn(process.execPath, [...serverArguments, ...args], {
    env: { ...process.env, CRDSHIFT_SETTLE_SECONDS: "2", PORT: "0", HOST: "127.0.0.1", NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const printed: string[] = [];
  child.stderr.on("data", (chunk) => printed.push(String(chunk)));
  const url = await readUrl(child, printed);
  return {
    url,
    pid: child.pid ?? -1,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

async function readUrl(child: ChildProcess, printed: string[]): Promise<string> {
  if (child.stdout) {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /ready at (http:\S+)/.exec(line)?.[1];
      if (url) return url;
      printed.push(`${line}\n`);
    }
  }
  throw new Error(`The dashboard did not start:\n${printed.join("")}`);
}
