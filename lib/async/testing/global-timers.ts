/**
 * Stands in for node:timers/promises, whose timers can't be faked, in unit tests:
 * `vi.mock("node:timers/promises", () => import("#lib/async/testing/global-timers.ts"))`. Waits on the global setTimeout.
 */
export function setTimeout(ms: number, _value: undefined, { signal }: { signal: AbortSignal }): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = globalThis.setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
