/** Forgets a value of processWide, as the next process would. */
export function forgetProcessWide(name: string): void {
  const values: unknown = Reflect.get(globalThis, Symbol.for("crdshift"));
  if (values instanceof Map) values.delete(name);
}
