/** kubectl for the context that a cluster's name stands for. */
export function kubectlFor(context: string): string {
  return `kubectl${contextFlag(context)}`;
}

/** The flag, after a space, with which a command of kubectl goes to that context. */
export function contextFlag(context: string): string {
  return context === "in-cluster" ? "" : ` --context ${quoted(context)}`;
}

/** A word as a POSIX shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
