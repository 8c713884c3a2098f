const KEY = Symbol.for("crdshift");

// globalThis has no type for this key.
const shared = globalThis as unknown as { [KEY]?: Map<string, unknown> };

const store: Map<string, unknown> = shared[KEY] ?? new Map();
shared[KEY] = store;

/**
 * The single value with this name in the process. Route handlers and the server are separate bundles, each with its own copy of every
 * module; they share only globalThis.
 */
export function processWide<Value>(name: string, create: () => Value): Value {
  const known = store.get(name);
  // Each name belongs to one caller, which always creates the same type.
  if (known !== undefined || store.has(name)) return known as Value;
  const made = create();
  store.set(name, made);
  return made;
}
