import { inShortTurn } from "#lib/async/short-turn.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { awaitLook } from "#lib/cluster/fleet/await-look.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { describeCrd } from "./describe-crd.ts";
import { noticedRestore, wasSignedSinceRestore } from "./evidence/evidence-before-restore.ts";
import { protectionOf } from "./protection-of.ts";

/** One definition as its page shows it. `person` is who asks, if several use this connection. Throws as readKnownCrd. */
export async function readDetail(
  connection: Connection,
  crdName: string,
  signal: AbortSignal,
  person = connection.person(),
): Promise<CrdDetail> {
  // There may be none, which nobody waits longer for.
  await readKnownCrd(connection, crdName, signal);
  await awaitLook(fleetOf(connection), signal);
  const crd = await readKnownCrd(connection, crdName, signal);
  const fleet = fleetOf(connection);
  const otherEngines = fleet.otherEngines();
  const { asOf, stale } = fleet.freshness();
  // Thousands of versions take tens of milliseconds.
  const describe = () => describeCrd(crd, fleet.total(crdName), Date.now(), fleet.crdsIn(crd.group));
  const described = await inShortTurn({ kind: "lists", person }, describe);
  const isProvenSince = described.proof?.standing === "valid" && wasSignedSinceRestore(connection, described.proof.signature);
  const restoredEtcd = isProvenSince ? null : noticedRestore(connection);
  return { ...described, otherEngines, restoredEtcd, protection: protectionOf(crdName), asOf, stale };
}
