import { readFileSync } from "node:fs";

/** The resources a process used while watched. */
export interface Usage {
  /** Its peak memory. */
  peakRssMb: number;
  /** Its peak memory above the memory at the start. */
  rssGrowthMb: number;
  /** In user and kernel mode. */
  cpuSeconds: number;
  /** Bytes of its read and write calls: TCP with TLS, pipes and files. */
  readBytes: number;
  writtenBytes: number;
}

const LOOK_EVERY_MS = 100;
/** The unit of /proc/<pid>/stat is 1/100 s on every Linux (USER_HZ). */
const TICKS_PER_SECOND = 100;

/**
 * Watches a process through /proc on Linux (https://man7.org/linux/man-pages/man5/proc.5.html). If the process ends meanwhile, its
 * last tenth of a second is missing.
 * @throws Error if there is no such process, or no /proc.
 */
export function startMeter(pid: number): { stop(): Usage } {
  const first = look(pid);
  if (!first) throw new Error(`Process ${pid} can't be watched in /proc. The bench runs on Linux; has the process ended?`);
  let last = first;
  let peakRssMb = first.rssMb;
  const watch = () => {
    last = look(pid) ?? last;
    peakRssMb = Math.max(peakRssMb, last.rssMb);
  };
  const timer = setInterval(watch, LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      watch();
      return {
        peakRssMb,
        rssGrowthMb: peakRssMb - first.rssMb,
        cpuSeconds: last.cpuSeconds - first.cpuSeconds,
        readBytes: last.readBytes - first.readBytes,
        writtenBytes: last.writtenBytes - first.writtenBytes,
      };
    },
  };
}

function look(pid: number) {
  try {
    const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");
    const [status, io] = [read("status"), read("io")];
    // The name in parentheses may contain anything; the state is the first field after it, utime the twelfth.
    const stat = read("stat");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const rssKib = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
    // A zombie process has no memory.
    if (rssKib === undefined) return null;
    return {
      rssMb: Number(rssKib) / 1_024,
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
      readBytes: Number(/^rchar: (\d+)/m.exec(io)?.[1]),
      writtenBytes: Number(/^wchar: (\d+)/m.exec(io)?.[1]),
    };
  } catch {
    // It has ended.
    return null;
  }
}
