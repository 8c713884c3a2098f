import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "undici";
import { onTestFinished } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";

/** A connection to a server that answers like this, until the end of the test: for answers that no API server gives on demand. */
export async function connectionTo(name: string, answer: RequestListener): Promise<Connection> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const dispatcher = new Agent();
  onTestFinished(async () => {
    await dispatcher.close();
    server.close();
  });
  return {
    ...{ name, audience: name },
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dispatcher,
    openDispatcher: () => dispatcher,
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
