import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { BenchCluster } from "#bench/bench-cluster.ts";
import { startMeter } from "#bench/meter.ts";
import type { Widgets } from "#bench/widgets.ts";
import type { Turn } from "./measure-turn.ts";

const GIVE_UP_MS = 60 * 60_000;

/** The manual way: `kubectl get -o json | kubectl replace -f -`. Both processes count as the client. */
export async function kubectlReplace(cluster: BenchCluster, { definition }: Widgets, kubectl: string): Promise<Turn> {
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  const common = [`--kubeconfig=${cluster.kubeconfig}`, `--cache-dir=${join(cluster.directory, "kubectl-cache")}`, "--namespace=default"];
  const startedAt = performance.now();
  const get = spawn(kubectl, ["get", definition.name, "--output=json", ...common], { stdio: ["ignore", "pipe", "inherit"], signal });
  const replace = spawn(kubectl, ["replace", "--filename=-", ...common], { stdio: ["pipe", "pipe", "inherit"], signal });
  const ends = [end(get), end(replace)];
  const meters = { get: startMeter(get.pid ?? -1), replace: startMeter(replace.pid ?? -1) };
  const [piped, said] = [counter(), counter()];
  await Promise.all([...ends, pipeline(get.stdout, piped.count, replace.stdin), pipeline(replace.stdout, said.count, said.discard)]);
  const seconds = (performance.now() - startedAt) / 1_000;
  const used = { get: meters.get.stop(), replace: meters.replace.stop() };
  return {
    seconds,
    waitedSeconds: 0,
    client: {
      peakRssMb: used.get.peakRssMb + used.replace.peakRssMb,
      rssGrowthMb: used.get.rssGrowthMb + used.replace.rssGrowthMb,
      cpuSeconds: used.get.cpuSeconds + used.replace.cpuSeconds,
      sentBytes: used.replace.writtenBytes - said.bytes(),
      receivedBytes: used.get.readBytes + used.replace.readBytes - piped.bytes(),
    },
  };
}

// Counts the traffic between the two kubectl and their unused output, to subtract it from the bytes they read and wrote.
function counter() {
  let bytes = 0;
  return {
    bytes: () => bytes,
    async *count(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        yield chunk;
      }
    },
    async discard(chunks: AsyncIterable<Buffer>) {
      for await (const _ of chunks);
    },
  };
}

async function end(child: ReturnType<typeof spawn>): Promise<void> {
  const [code, name] = await once(child, "exit");
  if (code !== 0) throw new Error(`${child.spawnargs.slice(0, 2).join(" ")} ended with ${code ?? name}.`);
}
