import { type ExactJson, ExactNumber, isExactObject } from "./exact-json.ts";

/**
 * A function that gives equal values the same number, and others another one. It looks at each list and object once, however often it is
 * asked about it or what holds it: comparing texts instead takes the depth times the size.
 */
export function numberValues(): (value: ExactJson) => number {
  const numbers = new Map<string, number>();
  const known = new WeakMap<object, number>();
  const numberOfText = (text: string) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const numberOf = (value: ExactJson): number => {
    const isList = Array.isArray(value);
    if (!isList && !isExactObject(value)) return numberOfText(value instanceof ExactNumber ? value.text : JSON.stringify(value));
    const before = known.get(value);
    if (before !== undefined) return before;
    const inner = isList ? value.map(numberOf) : membersOf(value);
    const number = numberOfText(isList ? `[${inner.join()}]` : `{${inner.join()}}`);
    known.set(value, number);
    return number;
  };
  const membersOf = (value: { [key: string]: ExactJson }) =>
    Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${numberOf(value[key] ?? null)}`);
  return numberOf;
}
