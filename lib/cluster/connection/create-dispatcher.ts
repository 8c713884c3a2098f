import type { KubeConfig } from "@kubernetes/client-node";
import { Agent, type Dispatcher, Pool, ProxyAgent } from "undici";
import type { SignIn } from "./sign-in-to.ts";
import { withinSockets } from "./within-sockets.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/** Sends requests to the context's API server, through its proxy if it has one, over at most so many sockets. */
export function createDispatcher(config: KubeConfig, { tls }: SignIn, connections: number): Dispatcher {
  const proxy = config.getCurrentCluster()?.proxyUrl;
  // A single HTTP/2 connection measured slower, and a watch would share it with a rewrite.
  const limits = { connections, pipelining: 1, allowH2: false };
  const oneEach = withinSockets(connections);
  if (!proxy) return new Agent({ ...limits, connect: { ...tls, timeout: CONNECT_TIMEOUT_MS } }).compose(oneEach);
  // Of itself, undici waits five minutes for a proxy's answer to CONNECT.
  const clientFactory = (origin: URL, options: object) => new Pool(origin, { ...options, headersTimeout: CONNECT_TIMEOUT_MS });
  return new ProxyAgent({ ...limits, uri: proxy, requestTls: tls, clientFactory }).compose(oneEach);
}

/** Whether it is the URL of a proxy that createDispatcher can use. */
export function isProxy(proxyUrl: string): boolean {
  const url = URL.parse(proxyUrl);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  try {
    // As undici does, which fails for a % that begins no escape.
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
    return true;
  } catch {
    return false;
  }
}
