import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { runNpm } from "./run-npm.ts";

/** A known vulnerability of a package. */
export interface Advisory {
  /** For example `GHSA-2xp9-vwfh-vxw4`. */
  id: string;
  package: string;
  severity: string;
  title: string;
  url: string;
  /** The affected versions. */
  range: string;
}

/** The answer, or why there is none: a registry that is unreachable or has no advisories says nothing about the packages. */
export type AuditAnswer = { isAsked: true; advisories: Advisory[] } | { isAsked: false; because: string };

const reportSchema = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      via: z.array(
        z.union([
          // The name of the vulnerable dependency.
          z.string(),
          z.object({ source: z.unknown(), name: z.string(), title: z.string(), url: z.string(), severity: z.string(), range: z.string() }),
        ]),
      ),
    }),
  ),
});

const failureSchema = z.object({ message: z.string() });

/** A control with long-known vulnerabilities: a registry without advisories for it has none at all. */
const WEAK = { name: "lodash", version: "4.17.0" };

/** Asks the registry for advisories on the production packages of package-lock.json. */
export async function askAdvisories(registry?: string): Promise<AuditAnswer> {
  // An empty cache, as npm would otherwise report outdated advisories.
  const folder = await mkdtemp(path.join(tmpdir(), "crdshift-audit-"));
  const options = ["--fetch-retries=0", "--fetch-timeout=20000", `--cache=${path.join(folder, "cache")}`];
  if (registry !== undefined) options.push(`--registry=${registry}`);
  try {
    const answer = await audit(".", options);
    if (!answer.isAsked || answer.advisories.length > 0) return answer;
    const control = await audit(await weakProject(folder), options);
    if (!control.isAsked) return control;
    if (control.advisories.length > 0) return answer;
    return {
      isAsked: false,
      because: `The registry has no advisories for ${WEAK.name} ${WEAK.version} either, so it does not serve them.`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function weakProject(parent: string): Promise<string> {
  const folder = path.join(parent, "weak");
  const project = { name: "weak", version: "1.0.0", dependencies: { [WEAK.name]: WEAK.version } };
  const packages = { "": project, [`node_modules/${WEAK.name}`]: { version: WEAK.version } };
  await mkdir(folder);
  await writeFile(path.join(folder, "package.json"), JSON.stringify(project));
  await writeFile(path.join(folder, "package-lock.json"), JSON.stringify({ ...project, lockfileVersion: 3, packages }));
  return folder;
}

async function audit(folder: string, options: string[]): Promise<AuditAnswer> {
  const { stdout, stderr } = await runNpm(["audit", "--json", "--omit=dev", "--package-lock-only", ...options], folder);
  const answer = parse(stdout);
  const report = reportSchema.safeParse(answer);
  if (!report.success) {
    return { isAsked: false, because: failureSchema.safeParse(answer).data?.message ?? (stderr.trim() || "npm gave no reason.") };
  }
  const found = new Map<string, Advisory>();
  for (const via of Object.values(report.data.vulnerabilities).flatMap((one) => one.via)) {
    if (typeof via === "string") continue;
    const id = /GHSA(-\w{4}){3}/.exec(via.url)?.[0] ?? String(via.source);
    found.set(`${id} ${via.name}`, { id, package: via.name, severity: via.severity, title: via.title, url: via.url, range: via.range });
  }
  return { isAsked: true, advisories: [...found.values()] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
