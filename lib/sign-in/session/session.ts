import { randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { tokenExpiry } from "#lib/cluster/connection/credentials.ts";
import { signInCluster } from "#lib/cluster/connection/sign-in-cluster.ts";
import type { SessionEnd } from "#lib/contract/session.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { readEnv } from "#lib/settings/env.ts";
import { listening, type Mode, modeOf, publicOrigin } from "#lib/sign-in/mode.ts";
import { clearCookieChunks, cookieValues, MAX_COOKIE_VALUE, setCookieChunks } from "./cookie-chunks.ts";
import { seal, unseal } from "./seal.ts";
import { endSession, isSignedOut, LONGEST_MS } from "./signed-out.ts";

const sessionSchema = z.strictObject({
  id: z.string(),
  mode: z.enum(["local", "token"]),
  /** The bearer token used to sign in; null in `local`. */
  token: z.string().nullable(),
  /** The user whom the cluster named at the sign-in; absent in `local`, without a name, or if it is too long. */
  user: z.string().optional(),
  /** The cluster that the token belongs to, as signInCluster names it; null in `local`. */
  cluster: z.string().nullable(),
  /** The session's end, in ms since the epoch. */
  until: z.number(),
});

/** A browser's sign-in, as its cookie stores it. */
export type Session = z.infer<typeof sessionSchema>;

/** In bytes of JSON, with its two quotes. */
const LONGEST_USER = 256;
/** The bytes that sealing adds, and the growth from base64. */
const SEALED = { overhead: 28, growth: 4 / 3 };

/** A session that starts now and lasts at most eight hours, and no longer than the token. */
export function newSession(
  mode: Session["mode"],
  token: { text: string; expiresAt: number | null } | null,
  user: string | null = null,
): Session {
  const longest = Date.now() + LONGEST_MS;
  const cluster = mode === "token" ? signInCluster() : null;
  const isKept = user !== null && Buffer.byteLength(JSON.stringify(user)) <= LONGEST_USER;
  const until = Math.min(longest, token?.expiresAt ?? longest);
  return { id: randomUUID(), mode, ...(isKept && { user }), cluster, token: token?.text ?? null, until };
}

/** Whether a token fits into the cookie, with the longest name. */
export function fitsCookie(token: string): boolean {
  const inJson = JSON.stringify({ ...newSession("token", null, "u".repeat(LONGEST_USER - 2)), token });
  return (Buffer.byteLength(inJson) + SEALED.overhead) * SEALED.growth < MAX_COOKIE_VALUE;
}

/** What of a request tells its session. */
export type Asked = { headers: Pick<Headers, "get"> };

/** The session of a request; or null, with the reason if the request's session has ended and the reason is known. */
export type FoundSession = { session: Session; ended: null } | { session: null; ended: SessionEnd | null };

/** Finds the session of a request: none if it expired, signed out, or has another mode, key, or cluster. */
export function findSession(request: Asked): FoundSession {
  const { hasCookie, sessions } = sessionsOf(request);
  if (!hasCookie) return { session: null, ended: null };
  let here: Here | null = null;
  let first: FoundSession | null = null;
  for (const session of sessions) {
    here ??= whereSessionsCount();
    const found = standingOf(session, here);
    if (found.session) return found;
    first ??= found;
  }
  return first ?? { session: null, ended: "other-key" };
}

interface Here {
  mode: Mode;
  /** Null in `local`, and while no one knows the cluster. */
  cluster: string | null;
}

/** Reads files to name the cluster. */
function whereSessionsCount(): Here {
  const mode = modeOf(readEnv());
  return { mode, cluster: mode === "token" ? signInCluster() : null };
}

function standingOf(session: Session, here: Here): FoundSession {
  if (session.mode !== here.mode) return { session: null, ended: "other-key" };
  if (isForAnotherCluster(session, here)) return { session: null, ended: "other-cluster" };
  if (isSignedOut(session.id)) return { session: null, ended: "signed-out" };
  if (session.until > Date.now()) return { session, ended: null };
  const isTokens = session.token !== null && tokenExpiry(session.token) === session.until;
  return { session: null, ended: isTokens ? "token-over" : "time-over" };
}

/** Whether its token would be sent to a cluster that it isn't for. None is sent while no one knows the cluster. */
function isForAnotherCluster(session: Session, { cluster }: Here): boolean {
  return cluster !== null && session.cluster !== cluster;
}

/** Ends all sessions that the request's cookies hold. */
export function signOut(request: Request): void {
  for (const session of sessionsOf(request).sessions) endSession(session);
}

function sessionsOf(request: Asked): { hasCookie: boolean; sessions: Iterable<Session> } {
  const name = cookieName(request);
  const values = cookieValues(name, request.headers.get("cookie") ?? "");
  return { hasCookie: values.length > 0, sessions: unsealed(values, name) };
}

function* unsealed(values: readonly string[], name: string): Generator<Session> {
  for (const sealed of values) {
    const text = unseal(keys(), name, sealed);
    // An older or newer release may have written another shape.
    const session = text === null ? undefined : sessionSchema.safeParse(JSON.parse(text)).data;
    if (session) yield session;
  }
}

/** The Set-Cookie headers that start a session. */
export function sessionCookies(request: Request, session: Session): string[] {
  const name = cookieName(request);
  const seconds = Math.max(0, Math.floor((session.until - Date.now()) / 1_000));
  return setCookieChunks(name, seal(keys(), name, JSON.stringify(session)), `${attributes(request)}; Max-Age=${seconds}`);
}

/** The Set-Cookie headers that clear the session. */
export function endingCookies(request: Request): string[] {
  return clearCookieChunks(cookieName(request), attributes(request));
}

/** Whether the browser uses https, in which case its address is one of CRDSHIFT_ORIGINS. */
function isSecure(request: Asked): boolean {
  return publicOrigin(request.headers.get("host") ?? "", readEnv().CRDSHIFT_ORIGINS)?.startsWith("https:") ?? false;
}

function attributes(request: Request): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure(request) ? "; Secure" : ""}`;
}

// All ports of a host share cookies, so two crdshifts on one host need different names.
function cookieName(request: Asked): string {
  const instance = readEnv().CRDSHIFT_INSTANCE || String(listening().port ?? "");
  return `${isSecure(request) ? "__Host-" : ""}crdshift-${instance}-s`;
}

function keys(): Buffer[] {
  const configured = readEnv().CRDSHIFT_SESSION_KEYS;
  return configured.length > 0 ? configured : [processWide("session-key", () => randomBytes(32))];
}
