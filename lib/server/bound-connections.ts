import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./network-of.ts";

/** An event stream sends something more often than this. */
const STALLED_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 1_000;

interface Open {
  network: string;
  unanswered: number;
  bytes: number;
  /** When the last byte moved, in either direction, as far as is known. */
  movedAt: number;
}

/**
 * Keeps a server's connections to a number, and closes one of somebody who isn't known once an answer stays unread for 20 seconds. For one
 * more, it closes one of the person who has the most, if that is more than one person's share: the one that has been idle the longest, or
 * has stalled, or else the stillest. If nobody has more, it closes one of somebody who isn't known: that on which no byte has moved for the
 * longest, if for 20 seconds, or else the stillest of the network that has the most of them. If it knows everybody, it closes the one that
 * has been idle the longest, or has stalled; or else one of the network that has the most, by two more than that of the new one; or else
 * the new one, as Node's own maxConnections always does.
 */
export function boundConnections(
  server: Server,
  most: { inAll: number; ofPerson: number },
  personOf: (socket: Socket) => string | null,
): void {
  const open = new Map<Socket, Open>();
  // Longest idle first. One with a request at work is not among them.
  const idle = new Set<Socket>();
  const look = () => {
    const before = performance.now() - STALLED_AFTER_MS;
    for (const [socket, one] of open) {
      // Node counts what it keeps for a reader as written.
      const bytes = socket.bytesRead + socket.bytesWritten - socket.writableLength;
      const isUnread = socket.writableLength > 0;
      if (bytes !== one.bytes) Object.assign(one, { bytes, movedAt: performance.now() });
      else if (isUnread && one.movedAt < before && personOf(socket) === null) socket.destroy();
    }
  };
  const leastNeeded = (newcomer: string): Socket | undefined => {
    const all = [...open];
    const people = Map.groupBy(all, ([socket]) => personOf(socket));
    const strangers = people.get(null) ?? [];
    people.delete(null);
    const ofPerson = largest(people);
    if (ofPerson.length > most.ofPerson) return longestIdle(ofPerson) ?? longestStalled(ofPerson) ?? longestStill(ofPerson);
    if (strangers.length > 0) return longestStalled(strangers) ?? longestStill(ofLargestNetwork(strangers));
    const ofNetwork = ofLargestNetwork(all);
    const isFair = ofNetwork.length > all.filter(([, { network }]) => network === newcomer).length + 1;
    return longestIdle(all) ?? longestStalled(all) ?? (isFair ? longestStill(ofNetwork) : undefined);
  };
  const longestIdle = (connections: Connections): Socket | undefined => {
    const theirs = new Set(connections.map(([socket]) => socket));
    return idle.values().find((socket) => theirs.has(socket));
  };
  const looking = setInterval(look, LOOK_EVERY_MS).unref();
  server.once("close", () => clearInterval(looking));
  server.on("connection", (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? "");
    if (open.size >= most.inAll) {
      const least = leastNeeded(network);
      (least ?? socket).destroy();
      if (least === undefined) return;
      forget(least);
    }
    open.set(socket, { network, unanswered: 0, bytes: 0, movedAt: performance.now() });
    idle.add(socket);
    socket.once("close", () => forget(socket));
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const one = open.get(socket);
    if (!one) return;
    idle.delete(socket);
    one.unanswered += 1;
    response.once("close", () => {
      one.unanswered -= 1;
      if (one.unanswered === 0 && open.has(socket)) idle.add(socket);
    });
  });

  function forget(socket: Socket): void {
    open.delete(socket);
    idle.delete(socket);
  }
}

type Connections = readonly [Socket, Open][];

function longestStill(connections: Connections): Socket | undefined {
  let still = connections[0];
  for (const one of connections) if (still === undefined || one[1].movedAt < still[1].movedAt) still = one;
  return still?.[0];
}

function longestStalled(connections: Connections): Socket | undefined {
  const before = performance.now() - STALLED_AFTER_MS;
  return longestStill(connections.filter(([, { movedAt }]) => movedAt < before));
}

function ofLargestNetwork(connections: Connections): Connections {
  return largest(Map.groupBy(connections, ([, { network }]) => network));
}

function largest(groups: ReadonlyMap<unknown, Connections>): Connections {
  let most: Connections = [];
  for (const group of groups.values()) if (group.length > most.length) most = group;
  return most;
}
