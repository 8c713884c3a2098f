import { connect, contextsFor } from "#lib/cluster/connection/connection.ts";
import type { Credentials } from "#lib/cluster/connection/credentials.ts";
import { anonymousCredentials, ownCredentials, tokenExpiry } from "#lib/cluster/connection/credentials.ts";
import { forgetRefused } from "#lib/cluster/fleet/fleet.ts";
import { reviewSelf } from "#lib/cluster/rights/who-am-i.ts";
import { readServerVersion } from "#lib/cluster/transport/discovery.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { SignIn } from "#lib/contract/session.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { readEnv } from "#lib/settings/env.ts";
import { takeLaunchSecret } from "./launch-link.ts";
import { modeOf } from "./mode.ts";
import { fitsCookie, newSession, type Session } from "./session/session.ts";

/** What kube-apiserver calls whoever shows no credentials. */
const ANONYMOUS = "system:anonymous";

/**
 * The session of somebody who signs in: with the launch link's secret in `local`, in `token` with a bearer token that the cluster takes.
 * @throws AppError unauthenticated for a secret or a token that signs nobody in, too_many_requests after many that the cluster refused, invalid_input
 * for what the mode does not take.
 */
export async function signIn(body: SignIn, signal: AbortSignal): Promise<Session> {
  const mode = modeOf(readEnv());
  if (mode === "unsafe-shared-readonly") throw new AppError("invalid_input", "Nobody signs in here: everybody reads with one account.");
  return mode === "local" ? withLaunchSecret(body) : withToken(body, signal);
}

function withLaunchSecret(body: SignIn): Session {
  if (!("launch" in body)) throw new AppError("invalid_input", "Here one signs in with the launch link.", { nextStep: "Open it." });
  if (takeLaunchSecret(body.launch)) return newSession("local", null);
  throw refused("The link was used already, or is of another start.", {
    nextStep: "Open the newest link that crdshift has printed: each signs one browser in, and then there is a new one.",
  });
}

async function withToken(body: SignIn, signal: AbortSignal): Promise<Session> {
  if (!("token" in body)) throw new AppError("invalid_input", "Here one signs in with a token of the cluster.", { nextStep: "Send it." });
  const token = body.token.trim().replace(/^Bearer +/i, "");
  if (!/^[\w.~+/-]+=*$/.test(token)) {
    throw refused("That is not a bearer token: it holds characters that none has.", {
      nextStep: "Paste what kubectl create token prints, and nothing else.",
    });
  }
  if (!fitsCookie(token)) {
    throw new AppError("invalid_input", `The token has ${token.length} characters, which is more than cookies hold.`, {
      nextStep: "Use one of fewer groups or audiences, or have a proxy send it: see CRDSHIFT_TOKEN_HEADER.",
    });
  }
  const expiresAt = tokenExpiry(token);
  if (expiresAt !== null && expiresAt <= Date.now()) {
    throw refused("The token has expired.", { nextStep: "Make a new one." });
  }
  const credentials: Credentials = { kind: "bearer", token };
  const user = await userOf(credentials, signal);
  if (user === ANONYMOUS) throw refused("The cluster takes the token for nobody's.", { nextStep: "Make a new one." });
  return newSession("token", { text: token, expiresAt });
}

async function userOf(credentials: Credentials, signal: AbortSignal): Promise<string> {
  const attempt = beginAttempt();
  const connection = await connect(contextsFor(credentials).current, credentials);
  try {
    const user = await reviewSelf(connection, signal);
    attempt.takeBack();
    return user;
  } catch (error) {
    if (!isAppError(error) || error.code !== "unauthenticated") {
      attempt.takeBack();
      throw error;
    }
    forgetRefused(connection, error);
    throw refused("The cluster does not take the token.", {
      nextStep: "It may be of another cluster, or have expired: make a new one.",
      clusterMessage: error.clusterMessage,
    });
  }
}

function refused(message: string, more: { nextStep: string; clusterMessage?: string | undefined }): AppError {
  return new AppError("unauthenticated", message, { ...more, details: { signIn: true } });
}

/** Asks the default cluster's API server whether it is there; one that wants to know who asks is. Throws AppError when it is not. */
export async function askDefaultCluster(signal: AbortSignal): Promise<void> {
  // In `token` this process has no rights of its own.
  const credentials = modeOf(readEnv()) === "token" ? anonymousCredentials : ownCredentials;
  try {
    await readServerVersion(await connect(contextsFor(credentials).current, credentials), signal);
  } catch (error) {
    const wantsToKnow = isAppError(error) && (error.code === "unauthenticated" || error.code === "forbidden");
    if (credentials !== anonymousCredentials || !wantsToKnow) throw error;
  }
}

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
