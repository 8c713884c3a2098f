/** Parses a whole number from 1 to `most`; "1,000" works. Returns null for empty text and undefined for anything else. */
export function parseWholeNumber(text: string, most: number): number | null | undefined {
  const digits = text.replaceAll(/[\s,_]/g, "");
  if (digits === "") return null;
  if (!/^\d+$/.test(digits)) return undefined;
  const number = Number(digits);
  return number >= 1 && number <= most ? number : undefined;
}
