import { onTestFinished } from "vitest";
import { startTcpProxy, type TcpProxy } from "./start-tcp-proxy.ts";

/** A TCP proxy in front of the target for this test, closed with it. */
export async function tcpProxy(target: string): Promise<TcpProxy> {
  const proxy = await startTcpProxy(target);
  onTestFinished(proxy.close);
  return proxy;
}
