const firstLineMs = 2_000;
const nextLineMs = 10_000;

/** Runs `step`. If it takes over two seconds, logs what it is doing and for how long, and when it is done. */
export async function logElapsed<T>(log: (line: string) => void, doing: string, step: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  let shown = false;
  let timer = setTimeout(function line() {
    shown = true;
    log(`${doing} … ${elapsed()}`);
    timer = setTimeout(line, nextLineMs);
  }, firstLineMs);
  try {
    const result = await step();
    if (shown) log(`${doing}: done in ${elapsed()}`);
    return result;
  } finally {
    clearTimeout(timer);
  }
}
