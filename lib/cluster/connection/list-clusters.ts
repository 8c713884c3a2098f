import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import { outsideRequests } from "#lib/async/outside-requests.ts";
import { sleep } from "#lib/async/sleep.ts";
import { readServerVersion } from "#lib/cluster/transport/discovery.ts";
import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { Cluster } from "#lib/contract/cluster.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { connect, contextsFor, isOpen } from "./connect.ts";
import { connectionKey } from "./connection-key.ts";
import { type Credentials, credentialsId } from "./credentials.ts";
import { oldestBeyond } from "./oldest-beyond.ts";

type Reach = Pick<Cluster, "reachable" | "failure" | "message" | "version">;

const FRESH_MS = 30_000;
const PATIENCE_MS = 3_000;
const CONCURRENCY = 8;
const TURN_WITHIN_MS = 60_000;
const MAX_KNOWN = 1_000;
const UNTRIED: Reach = { reachable: null, failure: null, message: null, version: null };

/**
 * Every context that these credentials give access to, and whether its API server answers. Takes at most three seconds: a cluster
 * that hasn't answered by then is `null` now, and known on the next call. So is a context whose sign-in runs a command, until somebody
 * opens it. Answers are kept for half a minute.
 */
export async function listClusters(
  credentials: Credentials,
  { readOnly, signal }: { readOnly: boolean; signal: AbortSignal },
): Promise<Cluster[]> {
  const { current, contexts } = contextsFor(credentials);
  const known = knownReach();
  const listed = [...contexts].map(([name, config]) => ({
    name,
    key: connectionKey(name, config),
    server: config.getCurrentCluster()?.server ?? "",
    mayAsk: name === current || !config.getCurrentUser()?.exec || isOpen(name, config),
  }));
  const due = listed.filter(({ key, mayAsk }) => mayAsk && Date.now() - (known.get(key)?.at ?? 0) > FRESH_MS);
  // The default first: most people wait for it.
  due.sort((a, b) => Number(b.name === current) - Number(a.name === current));
  const questions = due.map(({ name, key }) => ask(name, key, credentials));
  for (const key of oldestBeyond(known, MAX_KNOWN)) known.delete(key);
  await untilAnswered(questions, signal);
  return listed.map(({ name, key, server }) => {
    const { reachable, failure, message, version } = known.get(key) ?? UNTRIED;
    return { name, server, current: name === current, readOnly, reachable, failure, message, version };
  });
}

function knownReach(): Map<string, Reach & { at: number }> {
  return processWide("reach", () => new Map());
}

/** A question to a context's API server that is under way: what tells each of those who wait that it has ended. */
type Question = Set<() => void>;

/** Those who ask while a question is under way share it: its answer may take as long as the API server likes, long after they have left. */
function ask(name: string, key: string, credentials: Credentials): Question {
  const underWay = processWide("reach-questions", () => new Map<string, Question>());
  const known = underWay.get(key);
  if (known) return known;
  const question: Question = new Set();
  underWay.set(key, question);
  const turns = processWide("reach-turns", () => noTurns(Number.POSITIVE_INFINITY));
  const place = { person: credentialsId(credentials), mostAtWork: CONCURRENCY };
  const answer = async () => {
    try {
      const told = await inTurn(turns, place, AbortSignal.timeout(TURN_WITHIN_MS), () => reach(name, credentials));
      knownReach().set(key, { ...told, at: Date.now() });
    } catch {
      // It had no turn: the next list asks again.
    } finally {
      underWay.delete(key);
      for (const tell of question) tell();
    }
  };
  outsideRequests(() => void answer());
  return question;
}

/** Waits for the answers, for three seconds at most. Throws the signal's reason, and then nothing keeps whoever has left. */
async function untilAnswered(questions: readonly Question[], signal: AbortSignal): Promise<void> {
  const answered = new AbortController();
  const patience = sleep(PATIENCE_MS, AbortSignal.any([signal, answered.signal])).catch(() => signal.throwIfAborted());
  const open = new Set(questions);
  const stops = questions.map((question) => {
    const tell = () => {
      open.delete(question);
      if (open.size === 0) answered.abort();
    };
    question.add(tell);
    return () => question.delete(tell);
  });
  if (open.size === 0) answered.abort();
  await patience.finally(() => stops.forEach((stop) => void stop()));
}

async function reach(name: string, credentials: Credentials): Promise<Reach> {
  try {
    const version = await readServerVersion(await connect(name, credentials), AbortSignal.timeout(10_000));
    return { reachable: true, failure: null, message: null, version };
  } catch (error) {
    const message = isAppError(error)
      ? [error.message, error.clusterMessage, error.nextStep].filter(Boolean).join(" ")
      : errorMessage(error);
    return { reachable: false, failure: failureOf(error), message, version: null };
  }
}

function failureOf(error: unknown): Cluster["failure"] {
  const code = isAppError(error) ? error.code : null;
  if (code === "unauthenticated") return "credentials-refused";
  if (code === "forbidden") return "forbidden";
  return code === "invalid_input" ? "unusable" : "unreachable";
}
