/** What a browser on this machine opens: of a server that listens everywhere, loopback. */
export function localUrl({ address, host, port }: { address: string; host: string; port: number }): string {
  const name = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
