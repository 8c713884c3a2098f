import { existsSync, readFileSync } from "node:fs";

const EVERY_MS = 1_000;

/** Samples a process's memory every second, until the signal aborts or the process ends. The samples are in MB, in order. */
export function sampleMemory(pid: number, signal: AbortSignal): readonly number[] {
  const samples: number[] = [];
  const status = `/proc/${pid}/status`;
  const interval = setInterval(() => {
    // The file is gone once the process has ended.
    const kib = existsSync(status) ? /VmRSS:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1] : undefined;
    if (kib) samples.push(Number(kib) / 1_024);
  }, EVERY_MS);
  signal.addEventListener("abort", () => clearInterval(interval), { once: true });
  return samples;
}
