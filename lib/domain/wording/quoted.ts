/**
 * A string as JSON, with characters that steer a terminal or turn the text's direction (CVE-2021-42574) escaped, as JSON allows. Different
 * strings stay different.
 */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
