import { AppError } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide.ts";

const WINDOW_MS = 60_000;
/** A person mistypes a few times; nobody needs more, and each costs the cluster a request. */
const MOST = 20;

/** The attempts of the last minute that failed or have not ended, by when they began, in ms. Of all together: a proxy gives everybody one address. */
function attempts(): { at: number }[] {
  return processWide("sign-in-attempts", () => []);
}

/**
 * Begins an attempt, which counts for a minute unless it is taken back: one that succeeds, or that the cluster could not answer, is.
 * @throws AppError too_many_requests where twenty count.
 */
export function beginAttempt(now = Date.now()): { takeBack(): void } {
  const counted = attempts();
  while (counted[0] && counted[0].at <= now - WINDOW_MS) counted.shift();
  const [oldest] = counted;
  if (oldest && counted.length >= MOST) {
    const seconds = Math.ceil((oldest.at + WINDOW_MS - now) / 1_000);
    throw new AppError("too_many_requests", `${MOST} sign-ins, by anybody, failed within a minute.`, {
      nextStep: `Wait ${seconds} s, then try again.`,
    });
  }
  const attempt = { at: now };
  counted.push(attempt);
  return {
    takeBack() {
      const index = counted.indexOf(attempt);
      if (index >= 0) counted.splice(index, 1);
    },
  };
}
