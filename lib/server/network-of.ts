import { isIPv4, isIPv6, SocketAddress } from "node:net";

/** Groups of an IPv6 address that tell networks apart: whoever has one address of a /64 can use all of them. */
const NETWORK_GROUPS = 4;

/** The network that counts as one asker: an IPv4 address, also where it is written as an IPv6 one, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const [ip = ""] = address.split("%");
  const mapped = /^::ffff:([\d.]+)$/i.exec(ip)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(ip)) return ip;
  // As Node writes it, no group has leading zeros, and at most one run of groups is left out.
  const [before = "", after] = new SocketAddress({ address: ip, family: "ipv6" }).address.split("::");
  const [first, last] = [before, after ?? ""].map((part) => part.split(":").filter(Boolean));
  const left = Array.from({ length: after === undefined ? 0 : 8 - (first?.length ?? 0) - (last?.length ?? 0) }, () => "0");
  return `${[...(first ?? []), ...left, ...(last ?? [])].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
