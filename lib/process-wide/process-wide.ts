// globalThis has no type for these keys.
const store: Record<symbol, unknown> = globalThis as unknown as Record<symbol, unknown>;

/**
 * The single value with this name in the process. Route handlers and the server are separate bundles, each with its own copy of every
 * module; they share only globalThis.
 */
export function processWide<Value>(name: string, create: () => Value): Value {
  const key = Symbol.for(`crdshift.${name}`);
  if (!(key in store)) store[key] = create();
  // Each name belongs to one caller, which always creates the same type.
  return store[key] as Value;
}
