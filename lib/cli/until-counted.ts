import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection.ts";
import { fleetOf } from "#lib/cluster/fleet.ts";

const LOOK_EVERY_MS = 50;

/**
 * Waits until it is known how many objects these definitions have, or can't be, or until the time is up: then the rest stays unknown.
 * Throws the signal's reason.
 */
export async function untilCounted(
  connection: Connection,
  names: readonly string[],
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<void> {
  const fleet = fleetOf(connection);
  const giveUpAt = performance.now() + withinMs;
  const isOpen = (name: string) => ["unknown", "metrics"].includes(fleet.total(name).basis);
  while (names.some(isOpen) && performance.now() < giveUpAt) await sleep(LOOK_EVERY_MS, signal);
}
