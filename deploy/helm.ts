import { spawnSync } from "node:child_process";
import path from "node:path";
import { stringify } from "yaml";
import { findProgram } from "#lib/local-cluster/binaries/find-program.ts";

export interface Helm {
  /** Runs it, with the chart's values on standard input where they are given. Gives what it printed; what it refuses is thrown. */
  run(args: string[], values?: object): string;
  /** The chart's templates with these values, for a release called crdshift in a namespace. */
  template(values: object, namespace: string, args?: string[]): string;
}

export const chart = path.join(import.meta.dirname, "chart");
const TIMEOUT_MS = 60_000;
/** Only what kubeVersion and templates ask; a Helm that was built without a release's flags says 1.20. */
const KUBE_VERSION = "1.36.0";

/** Helm, built if need be. */
export async function openHelm(log?: (line: string) => void): Promise<Helm> {
  const file = await findProgram("helm", log ? { log } : {});
  const run = (args: string[], values?: object) => {
    const input = values === undefined ? {} : { input: stringify(values) };
    const { status, stdout, stderr, error } = spawnSync(file, args, { ...input, encoding: "utf8", timeout: TIMEOUT_MS });
    if (status !== 0) throw new Error(`helm ${args.join(" ")}: ${error ?? stderr}`);
    return stdout;
  };
  return {
    run,
    template: (values, namespace, args = []) =>
      run(["template", "crdshift", chart, "--namespace", namespace, "--kube-version", KUBE_VERSION, "--values", "-", ...args], values),
  };
}
