/** The same items, each asked for while the one before it is still being worked on. */
export async function* oneAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  const ask = () => {
    const next = items.next();
    // Its error is thrown when its turn comes, which may be after the reader has stopped caring.
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
