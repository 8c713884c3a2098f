import { reasonFault } from "#lib/contract/protection.ts";

/** What is still missing before a protected definition may be changed; null once nothing is. `typed` is null where its name need not be typed. */
export function withheldBecause({ reason, typed, name }: { reason: string; typed: string | null; name: string }): string | null {
  const fault = reasonFault(reason);
  if (fault !== null || typed === null || typed === name) return fault;
  return typed === "" ? "Type the definition's name." : "What was typed is not the definition's name.";
}
