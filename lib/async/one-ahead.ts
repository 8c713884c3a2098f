/** Yields the same items, requesting each one while the caller still works on the previous one. */
export async function* oneAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  const ask = () => {
    const next = items.next();
    // An error is thrown when the item's turn comes; the reader may have stopped by then.
    next.catch(() => {});
    return next;
  };
  try {
    for (let next = ask(); ; ) {
      const { done, value } = await next;
      if (done) return;
      next = ask();
      yield value;
    }
  } finally {
    await items.return(undefined);
  }
}
