import { processWide } from "#lib/process-wide/process-wide.ts";

interface Parsed {
  readonly text: string;
  readonly json: unknown;
  /** Forgets it. */
  readonly timer: NodeJS.Timeout;
}

const KEPT_MS = 1_000;

/**
 * JSON.parse that keeps the last result for a second: a change reaches everyone who watches at once, as the same text. It depends on
 * nothing but the text, which each person's own API server sent. Nobody may change the result.
 */
export function parseOnce(text: string): unknown {
  const kept = processWide<{ last: Parsed | null }>("parsed-once", () => ({ last: null }));
  if (kept.last?.text === text) {
    kept.last.timer.refresh();
    return kept.last.json;
  }
  const json: unknown = JSON.parse(text);
  clearTimeout(kept.last?.timer);
  const timer = setTimeout(() => {
    kept.last = null;
  }, KEPT_MS).unref();
  kept.last = { text, json, timer };
  return json;
}
