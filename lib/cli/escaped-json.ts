/** The same JSON, without what a terminal would obey: JSON.stringify leaves 0x7f to 0x9f, and what turns the direction of text, as they are. */
export function escapedJson(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
