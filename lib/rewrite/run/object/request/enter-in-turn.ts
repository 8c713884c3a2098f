import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer, Slot } from "#lib/rewrite/pacing/pacer.ts";

/** A slot for one request, with permission to send it now. */
export interface Turn {
  leave: Slot;
  /** This request probes a closed gate. */
  probes: boolean;
  /** Nothing was sent; the next request probes. */
  giveBack(): void;
}

/** Resolves when the pacer and the gate let a request through. Throws StopRun if the run can't continue, and the signal's reason. */
export async function enterInTurn(
  { gate, pacer, signal }: { gate: Gate; pacer: Pacer; signal: AbortSignal },
  how?: { goesOn: boolean },
): Promise<Turn> {
  for (;;) {
    const permit = await gate.enter(signal);
    const leave = await pacer.enter(signal, how).catch((error: unknown) => {
      permit.giveBack();
      throw error;
    });
    // Check the gate again: it may have closed, even for a probe, while this request waited for the pacer.
    const as = permit.use();
    if (as !== null) return { leave, probes: as === "probe", giveBack: permit.giveBack };
    leave("failed");
  }
}
