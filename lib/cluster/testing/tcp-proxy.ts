import { createServer, type Socket, connect as tcpConnect } from "node:net";
import { onTestFinished } from "vitest";

/** A plain TCP proxy on loopback, for this test: the API server's certificate fits, and connections can be counted and cut. */
export interface TcpProxy {
  /** https://127.0.0.1:port */
  server: string;
  /** Connections made so far, and those open now. */
  opened(): number;
  open(): number;
  /** Ends every connection; with `refuse` new ones are ended, too, until it is called with false. */
  cut(options: { refuse: boolean }): void;
  /** Takes connections but passes nothing on. */
  stall(): void;
}

export async function tcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let opened = 0;
  let mode: "pass" | "refuse" | "stall" = "pass";
  const proxy = createServer((client) => {
    opened += 1;
    if (mode === "refuse") return void client.destroy();
    sockets.add(client);
    client.on("error", () => {}).on("close", () => sockets.delete(client));
    if (mode === "stall") return;
    const upstream = tcpConnect(Number(port), hostname);
    client.pipe(upstream).pipe(client);
    client.on("close", () => upstream.destroy());
    upstream.on("error", () => {}).on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    proxy.close();
    cutAll();
  });
  return {
    server: `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    opened: () => opened,
    open: () => sockets.size,
    cut({ refuse }) {
      mode = refuse ? "refuse" : "pass";
      cutAll();
    },
    stall() {
      mode = "stall";
    },
  };
}
