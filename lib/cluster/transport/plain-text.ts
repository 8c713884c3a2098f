/**
 * Others' text without the characters that turn the direction of what follows (CVE-2021-42574): each stands as �. Letters that are
 * written from right to left stay.
 */
export function plainText(text: string): string {
  return text.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\uFFFD");
}
