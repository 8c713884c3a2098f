import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { isPage, renderInTurn, TooManyPages } from "./page-turns.ts";

/** Asks for a page; it is rendered until `finish`, or until the connection is closed. */
function ask(remoteAddress: string) {
  const response = new EventEmitter();
  const page = { isBegun: false, error: null as unknown, finish: () => void response.emit("close") };
  const request = { socket: { remoteAddress } } as Partial<IncomingMessage> as IncomingMessage;
  renderInTurn(request, response as Partial<ServerResponse> as ServerResponse, async () => {
    page.isBegun = true;
  }).catch((error: unknown) => {
    page.error = error;
  });
  return page;
}

test("eight pages are rendered at once, an address that asks for many doesn't keep others from theirs, and has 64 waiting at most", async () => {
  const [first = expect.fail(), ...many] = Array.from({ length: 100 }, () => ask("10.0.0.1"));
  const other = ask("10.0.0.2");
  await vi.waitFor(() => expect(many.filter(({ error }) => error instanceof TooManyPages)).toHaveLength(28));
  expect([first, ...many].filter(({ isBegun }) => isBegun)).toHaveLength(8);
  expect(other.isBegun).toBe(false);
  first.finish();
  many[0]?.finish();
  await vi.waitFor(() => expect(other.isBegun).toBe(true));
  for (const page of [other, ...many]) page.finish();
  await vi.waitFor(() => expect(many.filter(({ isBegun }) => isBegun).length).toBeGreaterThan(6));
});

test("pages that nobody reads keep no one from theirs for longer than two seconds", async () => {
  const unread = Array.from({ length: 8 }, () => ask("10.0.0.3"));
  const next = ask("10.0.0.4");
  await vi.waitFor(() => expect(next.isBegun).toBe(true), { timeout: 10_000 });
  for (const page of [...unread, next]) page.finish();
});

test.each<[string, boolean]>([
  ["/", true],
  ["/sign-in", true],
  ["/clusters/a/crds/things.example.com", true],
  ["/favicon.ico", true],
  ["/_next/static/chunks/a.js", false],
  ["/api/health", false],
])("%s is a page: %s", (path, is) => {
  expect(isPage(path)).toBe(is);
});
