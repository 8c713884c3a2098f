import type { RateHistory } from "#lib/domain/rewrite/run.ts";

const MAX_POINTS = 60;

/**
 * Counts objects into slots of time: one second each at first, twice as long whenever there are more than sixty, so that the
 * whole run is always there in a few numbers.
 */
export function createRateHistory(now: () => number): { count(): void; read(): RateHistory } {
  let everySeconds = 1;
  let startedAt: number | null = null;
  let slots: number[] = [];

  // Fills up with zeros to the present: a pause is part of the picture.
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
      // The slot that is still filling says nothing yet.
      return { everySeconds, perSecond: slots.slice(0, slot).map((objects) => Math.round((objects / everySeconds) * 10) / 10) };
    },
  };
}
