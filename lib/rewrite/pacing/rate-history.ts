import type { RateHistory } from "#lib/domain/rewrite/run.ts";

const MAX_POINTS = 60;

/**
 * Counts objects per time slot. Slots start at one second and double whenever there are more than sixty, so a few numbers always cover
 * the whole run.
 */
export function createRateHistory(now: () => number): { count(): void; read(): RateHistory } {
  let everySeconds = 1;
  let startedAt: number | null = null;
  let slots: number[] = [];

  // Fills with zeros up to now, so that pauses show.
  const slotNow = (): number => {
    startedAt ??= now();
    let slot = Math.floor((now() - startedAt) / (everySeconds * 1_000));
    while (slot >= MAX_POINTS) {
      slots = Array.from({ length: Math.ceil(slots.length / 2) }, (_, index) => (slots[2 * index] ?? 0) + (slots[2 * index + 1] ?? 0));
      everySeconds *= 2;
      slot = Math.floor((now() - startedAt) / (everySeconds * 1_000));
    }
    while (slots.length <= slot) slots.push(0);
    return slot;
  };

  return {
    count() {
      const slot = slotNow();
      slots[slot] = (slots[slot] ?? 0) + 1;
    },
    read() {
      if (startedAt === null) return { everySeconds, perSecond: [] };
      const slot = slotNow();
      // The current slot is incomplete.
      return { everySeconds, perSecond: slots.slice(0, slot).map((objects) => Math.round((objects / everySeconds) * 10) / 10) };
    },
  };
}
