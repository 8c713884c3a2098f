import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { runNpm } from "./run-npm.ts";

/** Exit codes of an audit: nothing serious, something to fix, or no answer. */
const AUDIT_EXIT_CODES = { clean: 0, grave: 1, notAsked: 2 };

/** Checks the production packages for advisories and describes the result. */
export async function audit(registry?: string): Promise<{ exitCode: number; text: string }> {
  const accepted = await readAccepted();
  const answer = await askAdvisories(registry);
  if (!answer.isAsked) {
    const text = `NOT CHECKED: the registry did not answer about advisories, so the state of the packages is unknown.\n${answer.because}`;
    return { exitCode: AUDIT_EXIT_CODES.notAsked, text };
  }
  const { grave, borne, outdated } = judgeAdvisories(answer.advisories, accepted, new Date().toISOString().slice(0, 10));
  const lines = [
    ...borne.map((advisory) => `accepted: ${inWords(advisory)}`),
    ...outdated.map(({ id, until }) => `accepted-advisories.json: ${id} (until ${until}) no longer applies. Remove it or review it.`),
    ...grave.map((advisory) => `SERIOUS: ${inWords(advisory)}`),
  ];
  if (grave.length === 0) return { exitCode: AUDIT_EXIT_CODES.clean, text: [...lines, "Checked: no serious advisories."].join("\n") };
  const whatToDo =
    "Update the package. If you can't yet, accept the advisory in lib/supply-chain/accepted-advisories.json with a reason and an end date.";
  return { exitCode: AUDIT_EXIT_CODES.grave, text: [...lines, whatToDo].join("\n") };
}

function inWords({ severity, package: name, range, title, url }: Advisory): string {
  return `${severity}, ${name} ${range}: ${title} (${url})`;
}

const acceptedSchema = z.array(
  z.strictObject({
    /** The advisory's id. */
    id: z.string().min(1),
    package: z.string().min(1),
    /** Why it is harmless here, or what protects crdshift until a fixed version exists. */
    reason: z.string().min(20),
    /** The last day of the acceptance. */
    until: z.iso.date(),
  }),
);

type AcceptedAdvisory = z.infer<typeof acceptedSchema>[number];

const GRAVE = ["high", "critical"];

interface Judgment {
  /** Advisories to act on. */
  grave: Advisory[];
  /** Less severe or accepted advisories. */
  borne: Advisory[];
  /** Acceptances that have expired or whose advisory no longer exists. */
  outdated: AcceptedAdvisory[];
}

/** Reads the temporarily accepted advisories from accepted-advisories.json. */
export async function readAccepted(): Promise<AcceptedAdvisory[]> {
  return acceptedSchema.parse(JSON.parse(await readFile(new URL("accepted-advisories.json", import.meta.url), "utf8")));
}

/** @param today as `2026-11-22` */
export function judgeAdvisories(advisories: Advisory[], accepted: AcceptedAdvisory[], today: string): Judgment {
  const isOf = (one: AcceptedAdvisory, advisory: Advisory) => one.id === advisory.id && one.package === advisory.package;
  const isGrave = (advisory: Advisory) =>
    GRAVE.includes(advisory.severity) && !accepted.some((one) => isOf(one, advisory) && one.until >= today);
  return {
    grave: advisories.filter(isGrave),
    borne: advisories.filter((advisory) => !isGrave(advisory)),
    outdated: accepted.filter((one) => one.until < today || !advisories.some((advisory) => isOf(one, advisory))),
  };
}

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
type AuditAnswer = { isAsked: true; advisories: Advisory[] } | { isAsked: false; because: string };

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
async function askAdvisories(registry?: string): Promise<AuditAnswer> {
  // An empty cache, as npm would otherwise report outdated advisories.
  const folder = await mkdtemp(path.join(tmpdir(), "crdshift-audit-"));
  const options = ["--fetch-retries=0", "--fetch-timeout=20000", `--cache=${path.join(folder, "cache")}`];
  if (registry !== undefined) options.push(`--registry=${registry}`);
  try {
    const answer = await npmAudit(".", options);
    if (!answer.isAsked || answer.advisories.length > 0) return answer;
    const control = await npmAudit(await weakProject(folder), options);
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

async function npmAudit(folder: string, options: string[]): Promise<AuditAnswer> {
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
