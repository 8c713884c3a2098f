import type { Gate } from "./gate.ts";
import type { Lease, Pacer } from "./pacer.ts";

/** A place among the requests under way, with leave to send one now. */
export interface Turn {
  leave: Lease;
  /** It is the one that tries whether a closed gate may open. */
  probes: boolean;
  /** It was not sent after all: the next one probes. */
  giveBack(): void;
}

/** Resolves when it is a request's turn and the gate lets it through. Throws StopRun when nothing can go on, and the signal's reason. */
export async function enterInTurn({ gate, pacer, signal }: { gate: Gate; pacer: Pacer; signal: AbortSignal }): Promise<Turn> {
  for (;;) {
    const admission = await gate.enter(signal);
    const leave = await pacer.enter(signal).catch((error: unknown) => {
      admission.giveBack();
      throw error;
    });
    // The gate first and last: it may have closed, also for a probe, while this one waited for its place.
    const as = admission.use();
    if (as !== null) return { leave, probes: as === "probe", giveBack: admission.giveBack };
    leave("failed");
  }
}
