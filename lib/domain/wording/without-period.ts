/** A sentence as a part of a longer one. */
export function withoutPeriod(sentence: string): string {
  return sentence.replace(/\.$/, "");
}
