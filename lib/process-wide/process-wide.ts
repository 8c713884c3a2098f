// globalThis has no type for keys that are made here.
const store: Record<symbol, unknown> = globalThis as unknown as Record<symbol, unknown>;

/**
 * The one value of that name in this process. Route handlers and the server process are separate bundles, each with its own
 * copy of every module; globalThis is what they share.
 */
export function processWide<Value>(name: string, create: () => Value): Value {
  const key = Symbol.for(`crdshift.${name}`);
  if (!(key in store)) store[key] = create();
  // Names are unique to one caller, which always creates the same type.
  return store[key] as Value;
}
