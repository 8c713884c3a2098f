import type { Usage } from "#bench/meter.ts";

/** What one engine took to bring every object to the storage version once. */
export interface Turn {
  /** Its waits before the first object apart. */
  seconds: number;
  waitedSeconds: number;
  /** All processes that did it, the API server and etcd apart. */
  client: Client;
}

export interface Client {
  peakRssMb: number;
  rssGrowthMb: number;
  cpuSeconds: number;
  /** What it sent to the API server and received from it, with TLS and HTTP headers. */
  sentBytes: number;
  receivedBytes: number;
}

/** The client's share where one process did it all, and reads and writes nothing but its connections. */
export function onlyClient({ readBytes, writtenBytes, ...usage }: Usage): Client {
  return { ...usage, sentBytes: writtenBytes, receivedBytes: readBytes };
}
