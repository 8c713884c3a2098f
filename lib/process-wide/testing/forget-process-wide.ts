// Test files share a process: none begins with the process-wide state that another has left.
for (const key of Object.getOwnPropertySymbols(globalThis)) {
  if (key.description?.startsWith("crdshift.")) Reflect.deleteProperty(globalThis, key);
}
