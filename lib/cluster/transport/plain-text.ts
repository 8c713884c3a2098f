/**
 * Untrusted text with each character that changes the text direction (CVE-2021-42574) replaced by �. Right-to-left letters stay.
 */
export function plainText(text: string): string {
  return text.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\uFFFD");
}
