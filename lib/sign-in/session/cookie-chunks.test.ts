import { expect, test } from "vitest";
import { clearCookieChunks, cookieValues, MAX_COOKIE_VALUE, setCookieChunks } from "./cookie-chunks.ts";

const ATTRIBUTES = "Path=/; HttpOnly; Max-Age=60";
/** What a browser would send after these. */
const kept = (cookies: string[]) =>
  cookies
    .filter((cookie) => !cookie.endsWith("Max-Age=0"))
    .map((cookie) => cookie.split("; ")[0])
    .join("; ");

test.each([1, 3_799, 3_800, 3_801, 7_600, 10_000, MAX_COOKIE_VALUE])(
  "a value of %i characters survives the cookies unchanged",
  (length) => {
    const value = Array.from({ length }, (_, index) => "abcdefghij"[index % 10]).join("");
    const cookies = setCookieChunks("s", value, ATTRIBUTES);
    expect(cookieValues("s", kept(cookies))[0]).toBe(value);
    for (const cookie of cookies) expect(cookie.length).toBeLessThan(4_096);
  },
);

test("a shorter value clears the unused cookies of a longer one, and a sign-out clears all", () => {
  expect(setCookieChunks("s", "short", ATTRIBUTES)).toEqual([
    "s.0=short; Path=/; HttpOnly; Max-Age=60",
    "s.1=; Path=/; HttpOnly; Max-Age=0",
    "s.2=; Path=/; HttpOnly; Max-Age=0",
    "s.3=; Path=/; HttpOnly; Max-Age=0",
  ]);
  expect(kept(clearCookieChunks("s", ATTRIBUTES))).toBe("");
});

test("a value too long for the cookies is refused", () => {
  expect(() => setCookieChunks("s", "x".repeat(MAX_COOKIE_VALUE + 1), ATTRIBUTES)).toThrow("too long");
});

test("other cookies and malformed headers contain no value", () => {
  expect(cookieValues("s", "")).toEqual([]);
  expect(cookieValues("s", "t.0=x; s=y; s.1=z; =; ;;")).toEqual([]);
  expect(cookieValues("s", "a=b=c; s.0=one; s.1=")).toEqual(["one"]);
});

// Where each counts (cookieValues), one chunk sent often, or 30 KB of any text, take milliseconds to unseal.
test("cookies of the same name give each value that they may hold once, up to a bound", () => {
  const [a, b] = ["a".repeat(3_800), "b".repeat(3_800)];
  expect(cookieValues("s", `s.0=junk; s.0=${a}; s.0=${b}; s.1=c; s.1=c`)).toEqual(["junk", `${a}c`, a, `${b}c`, b]);
  expect(cookieValues("s", Array(16).fill(`s.0=${a}`).join("; "))).toEqual([a]);
  expect(cookieValues("s", Array.from({ length: 8 }, (_, index) => `s.${index % 4}=${index > 3 ? a : b}`).join("; "))).toHaveLength(8);
});
