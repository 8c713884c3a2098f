const LINE_BREAKS = /[\n\r\u0085\u2028\u2029]/;

/**
 * Text from the cluster without terminal control characters: they become `^[` and the like (CVE-2021-25743 of kubectl).
 * Bidirectional controls (CVE-2021-42574) and line breaks other than \n become �; \n stays.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  return text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0);
    return character === "\t" ? "  " : code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : "\uFFFD";
  });
}

/** Text from the cluster with line breaks turned into spaces, so that it can't pass for a line from crdshift. */
export function oneLine(text: string): string {
  const [first = "", ...more] = text.split(LINE_BREAKS);
  if (more.length === 0) return printable(text);
  const words = [first.trimEnd(), ...more.map((line) => line.trim())];
  return printable(words.filter((line) => line !== "").join(" "));
}
