/** Passes on what comes, and ends without an error once nothing has come for `quietMs`. */
export async function* untilQuiet<Item>(
  quietMs: number,
  signal: AbortSignal,
  open: (signal: AbortSignal) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const quiet = new AbortController();
  let timer = setTimeout(() => quiet.abort(), quietMs);
  try {
    for await (const item of open(AbortSignal.any([signal, quiet.signal]))) {
      clearTimeout(timer);
      yield item;
      timer = setTimeout(() => quiet.abort(), quietMs);
    }
  } catch (error) {
    if (!quiet.signal.aborted || signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}
