import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import { findSession } from "#lib/sign-in/session/session.ts";

/** Anyone may ask for a page, signed in or not, and each takes milliseconds to render. */
const MOST_AT_WORK = 8;
const MOST_WAITING = 64;
/** Whoever doesn't read a page must not keep others from theirs. */
const READ_WITHIN_MS = 2_000;

const turns = noTurns(MOST_AT_WORK);

/** Thrown for one page too many: 64 requests of that person or address are waiting. */
export class TooManyPages extends Error {}

/**
 * Renders a page when it is its turn: eight at once. Sessions take turns, and so do addresses of those who aren't signed in: behind a proxy,
 * all people have one address.
 * @throws TooManyPages, and the reason for which the connection was closed meanwhile.
 */
export async function renderInTurn(request: IncomingMessage, response: ServerResponse, render: () => Promise<void>): Promise<void> {
  const closed = new AbortController();
  const ended = new Promise<void>((resolve) =>
    response.once("close", () => {
      closed.abort(new Error("The connection was closed."));
      resolve();
    }),
  );
  const place = {
    person: sessionIdOf(request) ?? request.socket.remoteAddress ?? "",
    mostAtWork: MOST_AT_WORK,
    waiting: { most: MOST_WAITING, tooMany: () => new TooManyPages() },
  };
  await inTurn(turns, place, closed.signal, async () => {
    const rendered = render();
    await Promise.race([rendered.then(() => ended), ended, setTimeout(READ_WITHIN_MS, undefined, { ref: false })]);
  });
}

function sessionIdOf({ headers }: IncomingMessage): string | null {
  if (headers.cookie === undefined) return null;
  const { session } = findSession({ headers: new Headers({ cookie: headers.cookie, host: headers.host ?? "" }) });
  return session && `session ${session.id}`;
}

/** Whether Next may render something for it. Routes of the API have turns of their own, and built files need none. */
export function isPage(path: string): boolean {
  return !path.startsWith("/_next/static/") && path !== "/api" && !path.startsWith("/api/");
}
