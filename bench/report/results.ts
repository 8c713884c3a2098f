import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Machine } from "#bench/bench-cluster.ts";
import { type Part, parts } from "#bench/options.ts";
import { type EngineName, type EngineRounds, engineNames } from "./engines-section.ts";
import { checkLine, median, type Section } from "./section.ts";

const file = join(import.meta.dirname, "../RESULTS.md");

const headings: Record<Part, string> = {
  engines: "Engines",
  guards: "Guards",
  neighbour: "Neighbour",
  growth: "Growth",
  fleet: "Fleet",
  people: "People",
};

const introduction = `# What the bench measured

Written by \`npm run bench\`, which fails if a check fails. It starts etcd, kube-apiserver and kube-controller-manager on
the machine that also runs the clients, so all of them share its cores. A part that is measured alone replaces only its
own section. Each section says when and on which machine it was measured.
`;

/** A section as text: heading, date and machine, figures, checks. */
export function sectionText({ part, title, lines, checks }: Section, { hardware, versions }: Machine, measuredAt: string): string {
  const checked = checks.map((check) => `- ${checkLine(check)}`);
  const text = [
    `## ${headings[part]}: ${title}`,
    "",
    `Measured ${measuredAt.slice(0, 16).replace("T", " ")} UTC on ${hardware}; ${versions}.`,
    "",
    ...lines,
    "",
    ...checked,
  ];
  return `${text.join("\n")}\n`;
}

/** Writes a part's section into RESULTS.md. */
export async function writeResults(part: Part, text: string): Promise<void> {
  // There is none before the first run.
  const before = await readFile(file, "utf8").catch(() => "");
  await writeFile(file, withSection(before, part, text));
}

/** All results with this section replaced; other parts stay unchanged. */
export function withSection(before: string, part: Part, text: string): string {
  const sections = before.split(/^(?=## )/m);
  const known = (name: Part) => sections.find((section) => section.startsWith(`## ${headings[name]}:`));
  const all = parts.map((name) => (name === part ? text : known(name))).filter((section) => section !== undefined);
  return `${[introduction, ...all].map((section) => section.trim()).join("\n\n")}\n`;
}

const measuredFile = join(import.meta.dirname, "../../components/engines/measured.json");

/** Writes the figures that the page about engines shows. */
export async function writeMeasured({ turns }: EngineRounds, objects: number, machine: Machine, measuredAt: string): Promise<void> {
  const figures = (name: EngineName) => {
    const seconds = median(turns[name].map((turn) => turn.seconds));
    const waitedSeconds = median(turns[name].map((turn) => turn.waitedSeconds));
    return { seconds: round(seconds), objectsPerSecond: Math.round(objects / seconds), waitedSeconds: round(waitedSeconds) };
  };
  const engines = Object.fromEntries(engineNames.map((name) => [name, figures(name)]));
  const { hardware, kubernetes } = machine;
  await writeFile(measuredFile, `${JSON.stringify({ measuredAt, machine: hardware, kubernetes, objects, engines }, null, 2)}\n`);
}

function round(seconds: number): number {
  return Number(seconds.toFixed(1));
}
