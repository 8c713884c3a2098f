import { abandonRequests, recordAnswer, recordNoAnswer, serverContact } from "./server-contact.ts";

const LOOK_EVERY_MS = 2_000;
const QUIET_MS = 4_000;
const ANSWER_WITHIN_MS = 5_000;
/** A busy server may miss one. */
const TRIES = 2;

/**
 * Asks whether crdshift still answers whenever nothing was heard of it for a few seconds, until the returned function is called. A
 * tunnel that has died may swallow everything and end nothing: no request, and no event stream, would fail by itself.
 */
export function checkContact(): () => void {
  let asking = false;
  const look = async () => {
    const quiet = Date.now() - (serverContact().lastAnswerAt ?? 0) > QUIET_MS;
    if (asking || !quiet || document.visibilityState !== "visible") return;
    asking = true;
    await ask(serverContact().lostSince === null ? TRIES : 1);
    asking = false;
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

async function ask(tries: number): Promise<void> {
  for (let left = tries; left > 0; left -= 1) {
    try {
      const { headers } = await fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      return recordAnswer(headers.get("date"));
    } catch {
      // What follows the last try says it.
    }
  }
  recordNoAnswer();
  abandonRequests();
}
