import { expect, test } from "vitest";
import { afterEnd, portForward, timeLeft } from "./banners.tsx";

const command = (port: number) => `kubectl --namespace crdshift port-forward service/crdshift ${port}:3000`;

test.each([
  ["http://localhost:3000/clusters/a", command(3_000)],
  ["http://127.0.0.1:8080/", command(8_080)],
  ["http://[::1]:9000/", command(9_000)],
  ["http://crds.localhost/", command(80)],
  ["https://crds.example.com/", null],
  ["https://localhost:3000/", null],
  ["http://127.0.0.1.example.com:3000/", null],
])("%s reconnects with %s", (address, expected) => {
  expect(portForward(new URL(address))).toBe(expected);
});

const until = "2026-01-01T12:00:00.000Z";
const end = Date.parse(until);

test.each([
  [300_001, null],
  [300_000, "in 5 min"],
  [240_000, "in 4 min"],
  [61_000, "in 1 min"],
  [59_999, "in less than a minute"],
  [-1, "in less than a minute"],
])("%i ms before its end, the session ends %s", (left, words) => {
  expect(timeLeft({ until }, end - left)).toBe(words);
});

test("a session without an end never warns", () => {
  expect(timeLeft({ until: null }, end)).toBe(null);
});

test("only an expiring token interrupts rewrites", () => {
  expect(afterEnd({ mode: "token", until, tokenUntil: until })).toContain("will be interrupted");
  expect(afterEnd({ mode: "token", until, tokenUntil: null })).toContain("continue with your token");
  expect(afterEnd({ mode: "token", until, tokenUntil: "2026-01-01T13:00:00.000Z" })).toContain("continue with your token");
  expect(afterEnd({ mode: "local", until, tokenUntil: null })).toContain("newest link");
});
