import { inTurn, noTurns, type Place, type Turns } from "#lib/async/in-turn.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { type Credentials, credentialsId } from "#lib/cluster/connection/credentials.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { authenticate } from "#lib/sign-in/authenticate.ts";
import { confirmToken } from "#lib/sign-in/confirm-token.ts";
import { breakOffFor } from "./held-answers.ts";
import { type Asked, publicRoute, type RouteHandler } from "./public-route.ts";
import { NETWORK_HEADER } from "./server-headers.ts";
import { untilRead } from "./until-read.ts";

/**
 * Whose request it is. Of those who share crdshift's own credentials, only the network is known, which may be one person's or, behind a
 * proxy, everybody's.
 */
export interface RequestOwner {
  person: string;
  isShared: boolean;
}

/** Puts together an answer that takes much memory until it is text. What it has to wait for comes before it. */
export type LargeAnswer = () => Promise<Response>;

/** A page makes up to a dozen requests at once, and a browser opens several pages. */
const MOST_REQUESTS = { ofPerson: { atWork: 16, waiting: 240 }, shared: { atWork: 32, waiting: 1_000 } };
/** How often whoever waits for one of the shared turns looks for an answer that holds one and is read slowly. */
const LOOK_EVERY_MS = 500;
/** How many large answers of one person are put together at a time. */
const MOST_BEING_BUILT = { ofPerson: 1, shared: 4 };
/** Twice what one network may have at work: it leaves as much free. */
const MOST_SHARED_IN_ALL = 64;

/**
 * publicRoute for signed-in users only; if they use a cluster token, the cluster confirms it. `run` gets the credentials for their
 * requests to clusters. Of one person's requests only some are at work, or have a long answer that is not read yet; the others wait for
 * their turn. `urgent` is for what slows down or stops a run: it waits only briefly for a token that was accepted before, and only for its
 * own kind. `run` may leave it to a function to put together an answer of thousands of parts: only a few of one person's are put together
 * at a time. One that is text, and waits for its reader, no longer counts.
 */
export function signedInRoute<Names extends string>(
  run: (asked: Asked<Names> & { credentials: Credentials; owner: RequestOwner }) => Promise<Response | LargeAnswer>,
  { urgent = false } = {},
): RouteHandler<Names> {
  return publicRoute(async (asked) => {
    const credentials = authenticate(asked.request);
    const { signal } = asked.request;
    const owner = requestOwner(asked.request, credentials, await untilAborted(confirmToken(credentials, { urgent }), signal));
    // Next calls the GET handler for HEAD, and would neither read nor end its stream.
    if (asked.request.method === "HEAD") return new Response(null, { status: 405, headers: { allow: "GET" } });
    const turns = owner.isShared
      ? processWide("shared-request-turns", () => noTurns(MOST_SHARED_IN_ALL, { leavesHalf: true }))
      : processWide("request-turns", () => noTurns(Number.POSITIVE_INFINITY));
    const answered = Promise.withResolvers<Response>();
    const place = placeOf(owner, urgent);
    const waiting = owner.isShared ? setInterval(() => breakOffFor(place.person, turns), LOOK_EVERY_MS) : undefined;
    // A stream's turn ends with its beginning; count-open.ts counts it until its end.
    inTurn(turns, place, signal, async () => {
      clearInterval(waiting);
      // Whoever waited may have signed out meanwhile.
      authenticate(asked.request);
      const found = await run({ ...asked, credentials, owner });
      const make = (response: Response) => untilRead(response, { ...owner, person: place.person }, asked.request);
      const build = async (large: LargeAnswer) => {
        authenticate(asked.request);
        return make(await large());
      };
      const { answer, read } = await (typeof found === "function"
        ? inTurn(beingBuilt(), placeToBuild(owner), signal, () => build(found))
        : make(found));
      answered.resolve(answer);
      await read;
    })
      .catch(answered.reject)
      .finally(() => clearInterval(waiting));
    return answered.promise;
  });
}

function beingBuilt(): Turns {
  return processWide("answers-being-built", () => noTurns(Number.POSITIVE_INFINITY));
}

function placeToBuild({ person, isShared }: RequestOwner): Place {
  return { person, mostAtWork: isShared ? MOST_BEING_BUILT.shared : MOST_BEING_BUILT.ofPerson };
}

function placeOf({ person, isShared }: RequestOwner, urgent: boolean): Place {
  const most = isShared ? MOST_REQUESTS.shared : MOST_REQUESTS.ofPerson;
  const tooMany = () =>
    new AppError("too_many_requests", `${most.atWork + most.waiting} of your requests are waiting for an answer, which is the limit.`, {
      nextStep: "Wait for some of them, then try again.",
    });
  return {
    person: urgent ? `urgent ${person}` : person,
    mostAtWork: most.atWork,
    waiting: { most: most.waiting, tooMany },
  };
}

// A person may have many tokens; where the cluster doesn't say whose one is, it counts for itself.
function requestOwner({ headers }: Request, credentials: Credentials, user: string | null): RequestOwner {
  if (credentials.kind === "own") return { person: `network ${headers.get(NETWORK_HEADER)}`, isShared: true };
  return { person: user === null ? credentialsId(credentials) : `user ${user}`, isShared: false };
}
