/** Forgets the value of processWide with this name, as the next process would. */
export function forgetOne(name: string): void {
  const values: unknown = Reflect.get(globalThis, Symbol.for("crdshift"));
  if (values instanceof Map) values.delete(name);
}
