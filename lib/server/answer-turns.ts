import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import { inShortTurn } from "#lib/async/short-turn.ts";
import { readEnv } from "#lib/settings/env.ts";
import { modeOf } from "#lib/sign-in/mode.ts";
import { HEALTH_PATH } from "./answer-health.ts";
import { knownPerson, personOf } from "./known-person.ts";
import { networkOf } from "./network-of.ts";

/** Anyone may ask for a page, signed in or not, and each takes milliseconds to render. So does an answer that a sign-in is needed. */
const MOST_AT_WORK = 8;
const MOST_WAITING = { page: 64, api: 512 };
/** Whoever doesn't read an answer must not keep others from theirs. */
const READ_WITHIN_MS = 2_000;

/**
 * Whoever can pretend to be any number of people has no turn of those who can't. Kubernetes sends nobody to a pod whose readiness waits for
 * others' slow requests.
 */
const turns = { known: noTurns(MOST_AT_WORK), unknown: noTurns(MOST_AT_WORK), ready: noTurns(MOST_AT_WORK) };
/** Telling who asks takes up to a millisecond, for whoever sends much to read. */
const asking = noTurns(MOST_AT_WORK);

/** Thrown for one request too many: 64 requests for pages of that person or address are waiting, or 512 of the API. */
export class TooManyRequests extends Error {}

/**
 * Lets Next answer a request when it is its turn. Before that, whoever has asked through the connection, or else its network, waits for a
 * turn in which crdshift finds out who asks. People who are known take turns for pages, eight at once: behind a proxy, they all have one address. So do the
 * networks of everyone else, for pages and for the API, where those who are known have other turns (lib/http). Built files and health need
 * none, since Next doesn't answer them (built-files.ts), and readiness has turns of its own, whoever asks. A turn ends once the answer is read,
 * or after `readWithinMs`.
 * @throws TooManyRequests, and the reason for which the connection was closed meanwhile.
 */
export async function answerInTurn(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  answer: () => Promise<void>,
  readWithinMs = READ_WITHIN_MS,
): Promise<void> {
  if (path === HEALTH_PATH) return answer();
  const closed = new AbortController();
  const ended = new Promise<void>((resolve) =>
    response.once("close", () => {
      closed.abort(new Error("The connection was closed."));
      resolve();
    }),
  );
  const network = networkOf(request.socket.remoteAddress ?? "");
  const isReady = path === "/api/ready";
  // Everyone reads with one account there, so nobody is known.
  const isShared = modeOf(readEnv()) === "unsafe-shared-readonly";
  const askerPlace = { person: personOf(request.socket) ?? network, mostAtWork: MOST_AT_WORK };
  const findPerson = () => inShortTurn({ kind: "askers", person: askerPlace.person }, () => knownPerson(request));
  const person = isShared || isReady ? null : await inTurn(asking, askerPlace, closed.signal, findPerson);
  closed.signal.throwIfAborted();
  if (path.startsWith("/_next/static/")) return answer();
  const isApi = path === "/api" || path.startsWith("/api/");
  if (isApi && !isReady && (isShared || person !== null)) return answer();
  const place = {
    person: person ?? network,
    mostAtWork: MOST_AT_WORK,
    waiting: { most: isApi ? MOST_WAITING.api : MOST_WAITING.page, tooMany: () => new TooManyRequests() },
  };
  const whose = isReady ? turns.ready : person === null ? turns.unknown : turns.known;
  let answered = Promise.resolve();
  await inTurn(whose, place, closed.signal, async () => {
    answered = answer();
    await Promise.race([answered.then(() => ended), ended, setTimeout(readWithinMs, undefined, { ref: false })]);
  });
  // Its turn may have ended before its failure.
  await answered;
}
