import { readEnv } from "#lib/settings/env.ts";

/** The pattern of CRDSHIFT_PROTECTED that protects a definition; null when none does. */
export function protectionOf(crdName: string): string | null {
  return protectingPattern(readEnv().CRDSHIFT_PROTECTED, crdName);
}

/** The first pattern that matches a definition's name, or null. `*` matches any characters, or none. */
export function protectingPattern(patterns: readonly string[], crdName: string): string | null {
  return patterns.find((pattern) => matches(pattern, crdName)) ?? null;
}

// Matches part by part because a RegExp is slow with many stars.
function matches(pattern: string, name: string): boolean {
  const [start = "", ...parts] = pattern.split("*");
  const end = parts.pop();
  if (end === undefined) return name === pattern;
  if (!name.startsWith(start)) return false;
  let at = start.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.endsWith(end) && name.length - end.length >= at;
}
