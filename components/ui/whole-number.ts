/** A whole number of at least 1 as people type it, "1,000" too; null for an empty text, undefined for anything else. */
export function parseWholeNumber(text: string, most: number): number | null | undefined {
  const digits = text.replaceAll(/[\s,_]/g, "");
  if (digits === "") return null;
  if (!/^\d+$/.test(digits)) return undefined;
  const number = Number(digits);
  return number >= 1 && number <= most ? number : undefined;
}
