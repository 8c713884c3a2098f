/**
 * Calls `work` for each item, at most `concurrency` at a time, taking items only as there is room. The first error (of the
 * items or of `work`) stops the rest, is told to `onFailure` at once, and is thrown when what was under way has ended; an
 * abort is such an error.
 */
export async function forEachConcurrently<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  options: { concurrency: number; signal: AbortSignal; onFailure?: (error: unknown) => void },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failure: { error: unknown } | null = null;
  const worker = async () => {
    try {
      while (!failure) {
        options.signal.throwIfAborted();
        const { done, value } = await iterator.next();
        if (done) return;
        await work(value);
      }
    } catch (error) {
      if (!failure) options.onFailure?.(error);
      failure ??= { error };
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  await rethrow(failure, iterator);
}

async function rethrow(failure: { error: unknown } | null, iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<void> {
  if (!failure) return;
  await iterator.return?.();
  throw failure.error;
}
