/**
 * A string as JSON, with characters that steer a terminal, turn the text's direction (CVE-2021-42574), or can't be seen escaped, as JSON
 * allows. Different strings stay different, and look different.
 */
export function quoted(text: string): string {
  return escapedJson(JSON.stringify(text));
}

/** Controls; what formats or is ignored, such as fillers and variation selectors; spaces other than the plain one; and an empty Braille cell. */
const UNSEEN = /[\u007f-\u009f\u2028\u2029\u2800\p{Cf}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** Of each such character that occurred: a text may have a million, and to write each anew takes half a second. */
const escapes = new Map<string, string>();

/** The same JSON with those characters escaped: JSON.stringify escapes only control characters below a space. */
export function escapedJson(json: string): string {
  return json.replaceAll(UNSEEN, escapeOf);
}

function escapeOf(character: string): string {
  const known = escapes.get(character);
  if (known !== undefined) return known;
  // By UTF-16 unit, as JSON has it.
  const units = character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const escaped = units.join("");
  escapes.set(character, escaped);
  return escaped;
}

/** A name as it is, or quoted if it has characters that can't be seen or that change how it reads: an address may have any. */
export function shownName(name: string): string {
  const inQuotes = quoted(name);
  return inQuotes === `"${name}"` ? name : inQuotes;
}
