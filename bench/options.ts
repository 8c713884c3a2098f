import { parseArgs } from "node:util";

export const parts = ["engines", "guards", "neighbour", "growth", "fleet", "people"] as const;
export type Part = (typeof parts)[number];

export interface Options {
  /** The parts to measure, in order. */
  parts: readonly Part[];
  /** The objects that the engines rewrite; guards also takes two fifths of them, growth a tenth and five times as many. */
  objects: number;
  /** The definitions of the fleet. */
  crds: number;
  rounds: number;
  /** Whether the sizes are those that the checks apply to. Results are written only then. */
  isFull: boolean;
}

const full = { objects: 20_000, crds: 2_000, rounds: 4 };

const usage = `npm run bench -- [${parts.join("|")} …] [--objects ${full.objects}] [--crds ${full.crds}] [--rounds ${full.rounds}]`;

/**
 * The command line; without arguments, the bench measures everything in full.
 * @throws Error with the usage.
 */
export function readOptions(args: string[]): Options {
  const { values, positionals } = parse(args);
  const unknown = positionals.find((name) => !parts.some((part) => part === name));
  if (unknown !== undefined) throw new Error(`Unknown part ${unknown}.\n${usage}`);
  const objects = wholeNumber("objects", values.objects, full.objects);
  const crds = wholeNumber("crds", values.crds, full.crds);
  const rounds = wholeNumber("rounds", values.rounds, full.rounds);
  return {
    parts: positionals.length > 0 ? parts.filter((part) => positionals.includes(part)) : parts,
    ...{ objects, crds, rounds },
    isFull: objects === full.objects && crds === full.crds && rounds >= full.rounds && rounds % 2 === 0,
  };
}

function parse(args: string[]) {
  const number = { type: "string" } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options: { objects: number, crds: number, rounds: number } });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

function wholeNumber(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number of at least 1.\n${usage}`);
  return value;
}
