/**
 * A string as JSON, with characters that steer a terminal, turn the text's direction (CVE-2021-42574), or can't be seen escaped, as JSON
 * allows. Different strings stay different, and look different.
 */
export function quoted(text: string): string {
  return escapedJson(JSON.stringify(text));
}

/** The same JSON with those characters escaped: JSON.stringify escapes only control characters below a space. */
export function escapedJson(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A name as it is, or quoted if it has characters that can't be seen or that change how it reads: an address may have any. */
export function shownName(name: string): string {
  const inQuotes = quoted(name);
  return inQuotes === `"${name}"` ? name : inQuotes;
}
