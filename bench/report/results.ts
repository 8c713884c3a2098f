import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkLine } from "#bench/check.ts";
import type { Machine } from "#bench/machine.ts";
import { type Part, parts } from "#bench/options.ts";
import type { Section } from "./section.ts";

const file = join(import.meta.dirname, "RESULTS.md");

const headings: Record<Part, string> = { engines: "Engines", growth: "Growth", fleet: "Fleet", people: "People" };

const introduction = `# What the bench measured

Written by \`npm run bench\`, which fails when a check does. It starts etcd, kube-apiserver and kube-controller-manager on the machine that also runs the clients, so all share its
cores. A part that was measured alone replaces its own section only; each says when and on what it was measured.
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
