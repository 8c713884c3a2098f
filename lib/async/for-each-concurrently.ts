/**
 * Calls `work` for each item, at most `concurrency` at a time, and takes an item only when a slot is free. The first error (from
 * the items, from `work`, or an abort) stops the rest. `onFailure` gets it at once; it is thrown once all running calls have ended.
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
