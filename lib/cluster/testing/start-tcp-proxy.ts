import { createServer, type Socket, connect as tcpConnect } from "node:net";

/** A plain TCP proxy on loopback: the API server's certificate fits, and connections can be counted, cut and starved. */
export interface TcpProxy {
  /** The target's protocol and the proxy's port: https://127.0.0.1:port */
  server: string;
  /** Connections made so far, those open now, and the most that were open at one time. */
  opened(): number;
  open(): number;
  mostOpen(): number;
  /** Ends every connection; with `refuse` new ones are ended, too, until it is called with false. */
  cut(options: { refuse: boolean }): void;
  /** Resets every connection (TCP RST) in the middle of whatever is under way. New ones go on as before. */
  reset(): void;
  /** Takes connections but passes nothing on; those that are open go on. */
  stall(): void;
  /** Swallows every byte, of open connections too: all stay open, nothing answers. */
  swallow(): void;
  /** Passes on what comes from now on. Connections made while it did not stay dead, and those that lost bytes are of no use. */
  pass(): void;
  /** Ends every connection; new ones go to this URL's host and port. */
  moveTo(target: string): void;
  /** Ends every connection, and takes no more. */
  close(): void;
}

/** Starts one in front of a URL's host and port. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { protocol } = new URL(target);
  let { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let opened = 0;
  let mostOpen = 0;
  let mode: "pass" | "refuse" | "stall" | "swallow" = "pass";
  const swallowing = () => mode === "swallow";
  const proxy = createServer((client) => {
    opened += 1;
    if (mode === "refuse") return void client.destroy();
    sockets.add(client);
    mostOpen = Math.max(mostOpen, sockets.size);
    client.on("error", () => {}).on("close", () => sockets.delete(client));
    if (mode !== "pass") return void client.resume();
    const upstream = tcpConnect(Number(port), hostname);
    carry(client, upstream, swallowing);
    carry(upstream, client, swallowing);
    client.on("close", () => upstream.destroy());
    upstream.on("error", () => {}).on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    server: `${protocol}//127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    opened: () => opened,
    open: () => sockets.size,
    mostOpen: () => mostOpen,
    cut({ refuse }) {
      mode = refuse ? "refuse" : "pass";
      cutAll();
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    stall() {
      mode = "stall";
    },
    swallow() {
      mode = "swallow";
    },
    pass() {
      mode = "pass";
    },
    moveTo(next) {
      ({ hostname, port } = new URL(next));
      cutAll();
    },
    close() {
      proxy.close();
      cutAll();
    },
  };
}

function carry(from: Socket, to: Socket, swallowing: () => boolean): void {
  from.on("data", (chunk) => {
    if (swallowing() || to.write(chunk)) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
  from.on("end", () => to.end());
}
