import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Machine } from "#bench/machine.ts";
import { type EngineName, type EngineRounds, engineNames } from "./engines-section.ts";
import { median } from "./statistics.ts";

const file = join(import.meta.dirname, "../components/engines/measured.json");

/** Writes the figures that the page about engines shows. */
export async function writeMeasured({ turns }: EngineRounds, objects: number, machine: Machine, measuredAt: string): Promise<void> {
  const figures = (name: EngineName) => {
    const seconds = median(turns[name].map((turn) => turn.seconds));
    const waitedSeconds = median(turns[name].map((turn) => turn.waitedSeconds));
    return { seconds: round(seconds), objectsPerSecond: Math.round(objects / seconds), waitedSeconds: round(waitedSeconds) };
  };
  const engines = Object.fromEntries(engineNames.map((name) => [name, figures(name)]));
  const { hardware, kubernetes } = machine;
  await writeFile(file, `${JSON.stringify({ measuredAt, machine: hardware, kubernetes, objects, engines }, null, 2)}\n`);
}

function round(seconds: number): number {
  return Number(seconds.toFixed(1));
}
