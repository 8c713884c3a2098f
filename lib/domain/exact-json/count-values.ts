import { endOfString, skipSpace } from "./json-spans.ts";

const [QUOTE, COMMA, BRACKET, BRACE] = [0x22, 0x2c, 0x5b, 0x7b];

/** How many values JSON text holds, itself included, without parsing it: a few kilobytes may unpack to a million empty lists. */
export function countValues(json: string): number {
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at) - 1;
    else if (code === COMMA) values += 1;
    else if ((code === BRACKET || code === BRACE) && !isEmptyAt(json, at)) values += 1;
  }
  return values;
}

function isEmptyAt(json: string, start: number): boolean {
  const inner = json[skipSpace(json, start + 1)];
  return inner === "]" || inner === "}";
}
