import type { Fleet } from "./fleet.ts";

/** A look takes a tenth of that, unless the API server is slow. */
const WITHIN_MS = 2_000;

/**
 * Waits a moment for other engines' migrations if nobody asked for them lately: whoever polls would get those of their last request, or
 * none. What is still missing then, the fleet's otherEngines tells. Throws the signal's reason.
 */
export async function awaitLook(fleet: Fleet, signal: AbortSignal): Promise<void> {
  // Nobody asks a cluster that doesn't answer, and the answer says that it is out of date.
  if (fleet.freshness().stale) return;
  await fleet.lookedForMigrations(AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)])).catch(() => signal.throwIfAborted());
}
