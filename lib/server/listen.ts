import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type ListenOptions, type Server } from "node:net";
import { socketOptions } from "./bounded-server.ts";

/** With the most at once, a turn of the event loop takes a few ms longer. */
const LISTENERS = 32;
const IN_USE = new Set(["EADDRINUSE"]);
/** Of systems that can't share a port among listeners. */
const UNSHARABLE = new Set(["ENOTSUP", "EINVAL"]);

export interface Listening {
  /** As reported by the system. */
  address: string;
  port: number;
  /** Accepts no more connections, and resolves once all are closed. */
  close(): Promise<unknown>;
}

/**
 * Has a server listen through 32 sockets on one port, where the system allows it. Node accepts one connection of each in a turn of the event
 * loop: with a single one, whoever opens hundreds of connections has everyone's new ones wait for as many turns, health checks included.
 * @throws Error with what to do if the port is in use.
 */
export async function listen(server: HttpServer, { host, port }: { host: string; port: number }): Promise<Listening> {
  // Sockets that share a port don't find out that another process shares it, too.
  const alone = createServer();
  const { address, port: free } = await listenOn(alone, { host, port });
  await closed(alone);
  const shared = { host: address, port: free, reusePort: true };
  const servers: Server[] = [server];
  try {
    await listenOn(server, shared);
  } catch (error) {
    if (!isCode(error, UNSHARABLE)) throw error;
    await listenOn(server, { host: address, port: free });
    return { address, port: free, close: () => closed(server) };
  }
  while (servers.length < LISTENERS) {
    const other = createServer(socketOptions, (socket) => void server.emit("connection", socket));
    await listenOn(other, shared);
    servers.push(other);
  }
  return { address, port: free, close: () => Promise.all(servers.map(closed)) };
}

async function listenOn(server: Server, where: ListenOptions): Promise<AddressInfo> {
  server.listen(where);
  await once(server, "listening").catch((error: unknown) => {
    throw isCode(error, IN_USE) ? inUse(where) : error;
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no address.");
  return address;
}

function closed(server: Server): Promise<unknown> {
  const ended = once(server, "close");
  server.close();
  return ended;
}

function isCode(error: unknown, codes: ReadonlySet<string>): boolean {
  return error instanceof Error && "code" in error && codes.has(String(error.code));
}

function inUse({ host, port }: ListenOptions): Error {
  return new Error(`Port ${port} on ${host} is already in use.\nSet PORT to another port, or to 0 to use a free one: PORT=0 npm start`);
}
