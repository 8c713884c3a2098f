/** Asks or does something once for each key, also while the first time goes on: whoever comes later gets its result, a failure included. */
export function onceForEach<Item, Result>(
  keyOf: (item: Item) => string,
  act: (item: Item) => Promise<Result>,
): (item: Item) => Promise<Result> {
  const begun = new Map<string, Promise<Result>>();
  return (item) => {
    const key = keyOf(item);
    const result = begun.get(key) ?? act(item);
    begun.set(key, result);
    return result;
  };
}
