/**
 * Calls `work` for each item, at most `concurrency` at a time, taking items only as there is room. The first error (of the
 * items or of `work`) stops the rest and is thrown once what was under way has ended; an abort is such an error.
 */
export async function forEachConcurrently<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  options: { concurrency: number; signal: AbortSignal },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    try {
      while (!failed) {
        options.signal.throwIfAborted();
        const { done, value } = await iterator.next();
        if (done) return;
        await work(value);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: options.concurrency }, worker));
  if (failed) await iterator.return?.();
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
