import { mapInShortTurns } from "#lib/async/map-in-short-turns.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";

/**
 * Returns a function that announces a definition by its name: at once, or after those that wait, in short turns of the event loop. Whoever
 * lists thousands of versions makes the summary of one take a tenth of a second, and a whole list changes in one turn. One that changes again
 * while it waits is announced once. `person` is whose work it is.
 */
export function announceSoon(announce: (name: string) => void, person: () => string): (name: string) => void {
  const waiting = new Set<string>();
  let isAnnouncing = false;
  const announceOne = (name: string) => {
    waiting.delete(name);
    try {
      announce(name);
    } catch (error) {
      // One odd definition must not hide the others.
      logProblem("error", { message: `Couldn't announce a definition: ${String(error)}` });
    }
  };
  const announceAll = async () => {
    isAnnouncing = true;
    while (waiting.size > 0) await mapInShortTurns(waiting, announceOne, { person: person() });
    isAnnouncing = false;
  };
  return (name) => {
    waiting.add(name);
    if (!isAnnouncing) void announceAll();
  };
}
