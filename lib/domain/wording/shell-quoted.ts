/** A word quoted for a POSIX shell, unless it needs no quotes. */
export function shellQuoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
