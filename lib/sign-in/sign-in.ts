import { randomBytes } from "node:crypto";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { anonymousCredentials, type Credentials, ownCredentials, tokenExpiry } from "#lib/cluster/connection/credentials.ts";
import { forgetRefused } from "#lib/cluster/fleet/fleet-of.ts";
import { readServerVersion } from "#lib/cluster/transport/discovery.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { SignIn } from "#lib/contract/session.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { readEnv } from "#lib/settings/env.ts";
import { noteConfirmed, withoutAddress } from "./confirm-token.ts";
import { listening, modeOf } from "./mode.ts";
import { hasOneSpelling } from "./one-spelling.ts";
import { reviewToken } from "./review-token.ts";
import { sameSecret } from "./session/seal.ts";
import { fitsCookie, newSession, type Session } from "./session/session.ts";

/**
 * Signs in and returns the session: in `local` with the sign-in link's secret, in `token` with a bearer token that the cluster accepts.
 * @throws AppError unauthenticated for an invalid secret or token, too_many_requests after many tokens that the cluster rejected,
 * invalid_input for a body that doesn't fit the mode.
 */
export async function signIn(body: SignIn, signal: AbortSignal): Promise<Session> {
  const mode = modeOf(readEnv());
  if (mode === "unsafe-shared-readonly")
    throw new AppError("invalid_input", "This crdshift has no sign-in: everyone reads with one account.");
  return mode === "local" ? withLinkSecret(body) : withToken(body, signal);
}

function withLinkSecret(body: SignIn): Session {
  if (!("launch" in body))
    throw new AppError("invalid_input", "Use the sign-in link instead.", {
      nextStep: "Open the newest link that crdshift printed.",
    });
  if (takeLinkSecret(body.launch)) return newSession("local", null);
  throw refused("The link was already used, or is from an earlier start.", {
    nextStep: "Open the newest link that crdshift printed: each signs in one browser, then it prints another.",
  });
}

async function withToken(body: SignIn, signal: AbortSignal): Promise<Session> {
  if (!("token" in body)) throw new AppError("invalid_input", "Sign in with a cluster token instead.", { nextStep: "Send the token." });
  const token = body.token.trim().replace(/^Bearer +/i, "");
  if (!/^[\w.~+/-]+=*$/.test(token)) {
    throw refused("That is not a bearer token: it contains invalid characters.", {
      nextStep: "Paste only what kubectl create token prints.",
    });
  }
  if (!hasOneSpelling(token)) {
    throw refused("The token's text isn't exactly what its issuer wrote.", {
      nextStep: "Paste the whole token unchanged, or create a new one.",
    });
  }
  if (!fitsCookie(token)) {
    throw new AppError("invalid_input", `The token has ${token.length} characters, which is too long for cookies.`, {
      nextStep: "Use a token with fewer groups or audiences, or have a proxy send it: see CRDSHIFT_TOKEN_HEADER.",
    });
  }
  const expiresAt = tokenExpiry(token);
  if (expiresAt !== null && expiresAt <= Date.now()) {
    throw refused("The token has expired.", { nextStep: "Create a new one." });
  }
  const credentials: Credentials = { kind: "bearer", token };
  const user = await requireAccepted(credentials, signal);
  return newSession("token", { text: token, expiresAt }, user);
}

/** Returns the user's name in the cluster. */
async function requireAccepted(credentials: Credentials, signal: AbortSignal): Promise<string> {
  const attempt = beginAttempt();
  const connection = await connectToDefault(credentials).catch((error: unknown) => {
    // The kubeconfig or a file that it names can't be read: the cluster was asked nothing.
    attempt.takeBack();
    throw error;
  });
  try {
    const user = await reviewToken(connection, signal);
    attempt.takeBack();
    countSignIn(user);
    connection.keepFor(user);
    noteConfirmed(connection, user);
    return user;
  } catch (error) {
    if (!isAppError(error) || error.code !== "unauthenticated") {
      // Whoever hangs up has had the cluster asked, too.
      if (!signal.aborted) attempt.takeBack();
      throw withoutAddress(error);
    }
    forgetRefused(connection, error);
    throw refused("The cluster rejected the token.", {
      nextStep: "It may have expired or belong to another cluster. Create a new one.",
      clusterMessage: error.clusterMessage,
    });
  }
}

async function connectToDefault(credentials: Credentials): Promise<Connection> {
  return connect(contextsFor(credentials).current, credentials);
}

function refused(message: string, more: { nextStep: string; clusterMessage?: string | undefined }): AppError {
  return new AppError("unauthenticated", message, { ...more, details: { signIn: true } });
}

/** Checks that the default cluster's API server answers; an answer that requires credentials counts. Throws AppError if it doesn't. */
export async function askDefaultCluster(signal: AbortSignal): Promise<void> {
  // In `token`, this process itself has no permissions.
  const credentials = modeOf(readEnv()) === "token" ? anonymousCredentials : ownCredentials;
  try {
    await readServerVersion(await connectToDefault(credentials), signal);
  } catch (error) {
    const wantsToKnow = isAppError(error) && (error.code === "unauthenticated" || error.code === "forbidden");
    if (credentials !== anonymousCredentials || !wantsToKnow) throw error;
  }
}

const WINDOW_MS = 60_000;
/** Enough for mistyped tokens, and for a person; each attempt costs the cluster a request. */
const MOST = 20;

/** Attempts of the last minute that failed or haven't ended, with their start in ms. For all users, who share a proxy's address. */
function attempts(): { at: number }[] {
  return processWide("sign-in-attempts", () => []);
}

/**
 * Starts an attempt, which counts for a minute unless taken back because it succeeded or the cluster couldn't answer. One that is given
 * up counts.
 * @throws AppError too_many_requests if twenty already count.
 */
export function beginAttempt(now = Date.now()): { takeBack(): void } {
  const counted = attempts();
  dropOld(counted, now);
  refuseMore(counted, now, `${MOST} sign-ins failed within a minute, across all users.`);
  const attempt = { at: now };
  counted.push(attempt);
  return {
    takeBack() {
      const index = counted.indexOf(attempt);
      if (index >= 0) counted.splice(index, 1);
    },
  };
}

/** Sign-ins of the last minute, oldest first, with their time in ms. */
function signIns(): { user: string; at: number }[] {
  return processWide("sign-ins", () => []);
}

/**
 * Counts a token that the cluster accepted. Each session may be signed out, and is remembered until it would have ended.
 * @throws AppError too_many_requests if the user has signed in twenty times within a minute.
 */
export function countSignIn(user: string, now = Date.now()): void {
  const counted = signIns();
  dropOld(counted, now);
  const own = counted.filter((one) => one.user === user);
  refuseMore(own, now, `You have signed in ${MOST} times within a minute.`);
  counted.push({ user, at: now });
}

function dropOld(counted: { at: number }[], now: number): void {
  while (counted[0] && counted[0].at <= now - WINDOW_MS) counted.shift();
}

function refuseMore(counted: readonly { at: number }[], now: number, message: string): void {
  const [oldest] = counted;
  if (!oldest || counted.length < MOST) return;
  const seconds = Math.ceil((oldest.at + WINDOW_MS - now) / 1_000);
  throw new AppError("too_many_requests", message, { nextStep: `Wait ${seconds} s, then try again.` });
}

interface CurrentLink {
  secret: string;
  /** Called with the new link each time one is used. */
  onNew: (link: string) => void;
}

function currentLink(): CurrentLink {
  return processWide("sign-in-link", () => ({ secret: newSecret(), onNew: () => {} }));
}

/** The link that signs in one browser, once. Its secret follows the #, which never appears in server logs or a Referer. */
export function signInLink(): string {
  return `${listening().url ?? ""}/sign-in#launch=${currentLink().secret}`;
}

/** Calls `onNew` with a new link each time one is used. */
export function onNewSignInLink(onNew: (link: string) => void): void {
  currentLink().onNew = onNew;
}

/** Whether the secret matches the current link; if so, the link is used up. */
function takeLinkSecret(secret: string): boolean {
  const current = currentLink();
  if (!sameSecret(secret, current.secret)) return false;
  current.secret = newSecret();
  current.onNew(signInLink());
  return true;
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
