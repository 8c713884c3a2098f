import { endOfString, skipSpace } from "./json-spans.ts";

/**
 * JSON text with one value a line, indented by two spaces as JSON.stringify does, but with its numbers as they were written. Null if it
 * nests deeper than `levels` or would be longer than `length`: indentation alone makes 200 MB of 200 KB that nest 1,000 levels deep.
 */
export function indentedJson(json: string, { levels, length }: { levels: number; length: number }): string | null {
  let text = "";
  let indent = "\n";
  for (let at = skipSpace(json, 0); at < json.length; at = skipSpace(json, at)) {
    const character = json[at];
    if (character === "{" || character === "[") {
      const inner = skipSpace(json, at + 1);
      if (json[inner] === "}" || json[inner] === "]") {
        text += `${character}${json[inner]}`;
        at = inner + 1;
      } else {
        indent += "  ";
        if (indent.length > 1 + 2 * levels) return null;
        text += `${character}${indent}`;
        at = inner;
      }
    } else if (character === "}" || character === "]") {
      indent = indent.slice(0, -2);
      text += `${indent}${character}`;
      at += 1;
    } else if (character === "," || character === ":") {
      text += character === "," ? `,${indent}` : ": ";
      at += 1;
    } else {
      const to = character === '"' ? endOfString(json, at) : endOfWord(json, at);
      text += plain(json.slice(at, to));
      at = to;
    }
    if (text.length > length) return null;
  }
  return text;
}

/** Behind a number, true, false or null. */
function endOfWord(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && !",:]}\n\r\t ".includes(json[at] ?? "")) at += 1;
  return at;
}

// The API server also escapes characters that people can read, such as < and &.
function plain(token: string): string {
  return token.includes("\\") ? JSON.stringify(JSON.parse(token)) : token;
}
