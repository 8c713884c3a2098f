import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "undici";
import { onTestFinished } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";

let servers = 0;

/**
 * A connection to a server that answers like this, until the end of the test: for answers that no API server gives on demand. It has an
 * address of its own: what this process remembers of a cluster goes by its address, and ports are given out again.
 */
export async function connectionTo(name: string, answer: RequestListener): Promise<Connection> {
  const server = createServer(answer);
  servers += 1;
  const host = `127.1.${servers >> 8}.${servers & 255}`;
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  const dispatcher = new Agent();
  onTestFinished(async () => {
    await dispatcher.destroy();
    server.close();
  });
  return {
    ...{ name, audience: name },
    server: `http://${host}:${(server.address() as AddressInfo).port}`,
    dispatcher,
    openDispatcher: () => dispatcher,
    downloads: () => dispatcher,
    authHeaders: async () => ({}),
    ...{ renewable: true, expiresAt: null },
    close: async () => {},
    discard: () => {},
    keepFor: () => {},
    touch: () => {},
    person: () => name,
    userName: () => null,
    pushOut: () => {},
    letBackIn: () => {},
    isPushedOut: () => false,
  };
}
