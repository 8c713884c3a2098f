/** Where a value stands in JSON text. */
export interface Span {
  from: number;
  to: number;
}

/*
 * JSON as text, without parsing it: what a person wrote into an object may nest deep and hold a hundred thousand values. Each of these
 * takes time linear in the text, and none recurses. They rely on the text being JSON.
 */

/** The value of a member of the object at `object`; null if there is none. */
export function memberAt(json: string, object: Span | null, key: string): Span | null {
  return findMember(json, object, key)?.value ?? null;
}

/** The object's text without one of its members. */
export function withoutMember(json: string, object: Span | null, key: string): string {
  const member = findMember(json, object, key);
  if (!member) return json;
  const after = skipSpace(json, member.value.to);
  // With the comma behind it, or for the last member, the one before it.
  if (json[after] === ",") return json.slice(0, member.from) + json.slice(after + 1);
  const before = json.slice(0, member.from).trimEnd();
  return (before.endsWith(",") ? before.slice(0, -1) : before) + json.slice(after);
}

/** The items of the list at `list`; none for any other value. */
export function itemsAt(json: string, list: Span | null): Span[] {
  const items: Span[] = [];
  if (list === null || json[list.from] !== "[") return items;
  for (let at = skipSpace(json, list.from + 1); at < list.to && json[at] !== "]"; at = skipSpace(json, at)) {
    const to = endOfValue(json, at);
    items.push({ from: at, to });
    at = skipSpace(json, to);
    if (json[at] === ",") at += 1;
  }
  return items;
}

/** A member of an object: its key, with escapes as they are in the text, where it begins, and its value. */
interface Member {
  key: string;
  from: number;
  value: Span;
}

/** The members of the object at `object`, in the text's order; none for any other value. */
export function* membersAt(json: string, object: Span | null): Generator<Member> {
  if (object === null || json[object.from] !== "{") return;
  for (let at = skipSpace(json, object.from + 1); at < object.to && json[at] === '"'; at = skipSpace(json, at)) {
    const endOfKey = endOfString(json, at);
    const begin = skipSpace(json, skipSpace(json, endOfKey) + 1);
    const value = { from: begin, to: endOfValue(json, begin) };
    yield { key: json.slice(at + 1, endOfKey - 1), from: at, value };
    at = skipSpace(json, value.to);
    if (json[at] === ",") at += 1;
  }
}

/** The whole text as a value. */
export function rootOf(json: string): Span {
  return { from: skipSpace(json, 0), to: json.length };
}

function findMember(json: string, object: Span | null, key: string): Member | null {
  for (const member of membersAt(json, object)) if (member.key === key) return member;
  return null;
}

/** The index behind the value that begins at `start`. */
function endOfValue(json: string, start: number): number {
  if (json[start] === '"') return endOfString(json, start);
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at) - 1;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (character === "," && depth === 0) return at;
  }
  return json.length;
}

/** The index behind the string that begins at `start`. */
export function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (let code = json.charCodeAt(at); at < json.length && code !== QUOTE; code = json.charCodeAt(at)) at += code === BACKSLASH ? 2 : 1;
  return at + 1;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** The index of the next character that is no white space. */
export function skipSpace(json: string, start: number): number {
  let at = start;
  while (isSpace(json.charCodeAt(at))) at += 1;
  return at;
}

// Space, line feed, carriage return, and tab. Comparing characters would make a string of each.
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
