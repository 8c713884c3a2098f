import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { knownCrd } from "#lib/cluster/history/read-runs.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { protectingPattern } from "#lib/domain/definition/protecting-pattern.ts";
import { readEnv } from "#lib/settings/env.ts";
import { describeCrd } from "./summarise-crd.ts";

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
