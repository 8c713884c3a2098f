import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { knownCrd } from "#lib/cluster/history/read-runs.ts";
import type { CrdDetail, CrdList } from "#lib/contract/definition/crd.ts";
import { crdStates } from "#lib/domain/definition/crd-state.ts";
import { readEnv } from "#lib/settings/env.ts";
import { describeCrd, summarizeCrd } from "./summarize-crd.ts";

/** One definition as its page shows it. Throws AppError not_found. */
export async function readDetail(connection: Connection, crdName: string, signal: AbortSignal): Promise<CrdDetail> {
  const crd = await knownCrd(connection, crdName, signal);
  const fleet = fleetOf(connection);
  const others = fleet.crds().filter(({ group }) => group === crd.group);
  return { ...describeCrd(crd, fleet.total(crdName), Date.now(), others), protection: protectionOf(crdName) };
}

/** The pattern of CRDSHIFT_PROTECTED that protects a definition; null when none does. */
export function protectionOf(crdName: string): string | null {
  return protectingPattern(readEnv().CRDSHIFT_PROTECTED, crdName);
}

/** All definitions, worst state first, then by name. */
export async function listSummaries(connection: Connection, signal: AbortSignal): Promise<CrdList> {
  const fleet = fleetOf(connection);
  await fleet.listed(signal);
  const now = Date.now();
  const items = fleet.crds().map((crd) => summarizeCrd(crd, fleet.total(crd.name), now));
  items.sort((a, b) => crdStates.indexOf(a.state) - crdStates.indexOf(b.state) || (a.name < b.name ? -1 : 1));
  const { resourceVersion, asOf, stale } = fleet.status();
  return { items, resourceVersion, asOf, stale };
}

/** The first pattern that matches a definition's name, or null. `*` matches any characters, or none. */
export function protectingPattern(patterns: readonly string[], crdName: string): string | null {
  return patterns.find((pattern) => matches(pattern, crdName)) ?? null;
}

// Matches part by part because a RegExp is slow with many stars.
function matches(pattern: string, name: string): boolean {
  const [start = "", ...parts] = pattern.split("*");
  const end = parts.pop();
  if (end === undefined) return name === pattern;
  if (!name.startsWith(start)) return false;
  let at = start.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.endsWith(end) && name.length - end.length >= at;
}
