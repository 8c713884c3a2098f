import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from "node:crypto";
import { z } from "zod";
import { tokenExpiry } from "#lib/cluster/connection/credentials.ts";
import { signInCluster } from "#lib/cluster/connection/sign-in-cluster.ts";
import type { SessionEnd } from "#lib/contract/session.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { readEnv } from "#lib/settings/env.ts";
import { listening, type Mode, modeOf, publicOrigin } from "#lib/sign-in/mode.ts";

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

const LONGEST_MS = 8 * 3_600_000;
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

/**
 * Signed-out sessions, since copies of a cookie outlive its sign-out. By session id: when it would have ended, in ms since the epoch, and
 * when it was signed out, by performance.now(), since a clock that runs ahead for a while must not forget one. Each person can only have so
 * many: signIn limits how often one signs in.
 */
function signedOut(): { sessions: Map<string, { at: number; until: number }>; sweptAt: number } {
  return processWide("signed-out", () => ({ sessions: new Map(), sweptAt: 0 }));
}

const SWEEP_EVERY_MS = 60_000;

/** Rejects every cookie with this session from now on, in this process. */
export function endSession({ id, until }: { id: string; until: number }): void {
  const ended = signedOut();
  const now = performance.now();
  ended.sessions.set(id, { at: now, until });
  if (now - ended.sweptAt < SWEEP_EVERY_MS) return;
  ended.sweptAt = now;
  for (const [old, one] of ended.sessions) if (now - one.at > LONGEST_MS && one.until <= Date.now()) ended.sessions.delete(old);
}

/** Whether someone has ended this session before its time. */
export function isSignedOut(sessionId: string): boolean {
  return signedOut().sessions.has(sessionId);
}

/** Browsers keep 4096 bytes per cookie, including its name and attributes. */
const CHUNK_BYTES = 3_800;
/** Keeps the cookies well below the 32 KiB limit for a request's headers. */
const MAX_CHUNKS = 4;

/** The maximum length of a value kept in cookies. */
export const MAX_COOKIE_VALUE = CHUNK_BYTES * MAX_CHUNKS;

/** The cookies `name.0`, `name.1` … that hold a value, each with the attributes; unneeded ones are cleared. */
export function setCookieChunks(name: string, value: string, attributes: string): string[] {
  if (value.length > MAX_COOKIE_VALUE) throw new Error("The value is too long for cookies.");
  return Array.from({ length: MAX_CHUNKS }, (_, index) => {
    const chunk = value.slice(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
    return `${name}.${index}=${chunk}; ${chunk ? attributes : withoutAge(attributes)}`;
  });
}

/** Cookies that clear all of them. */
export function clearCookieChunks(name: string, attributes: string): string[] {
  return setCookieChunks(name, "", attributes);
}

/** A server at another port of the host may set many, and so may anyone who asks. */
const MOST_VALUES = 8;

/**
 * The values that a Cookie header may hold in chunks, longest first. Another port of the host can set cookies of the same names, which the
 * browser sends first if their path is longer, so there may be several of each.
 */
export function cookieValues(name: string, header: string): string[] {
  const chunks = Array.from({ length: MAX_CHUNKS }, () => new Set<string>());
  const prefix = `${name}.`;
  for (const sent of header.split(";")) {
    const pair = sent.trim();
    if (!pair.startsWith(prefix)) continue;
    const [index = "", ...rest] = pair.slice(prefix.length).split("=");
    const value = rest.join("=").trim();
    if (value !== "" && value.length <= CHUNK_BYTES && /^\d$/.test(index.trim())) chunks[Number(index)]?.add(value);
  }
  return joined(chunks, "").take(MOST_VALUES).toArray();
}

function* joined([values, ...others]: readonly ReadonlySet<string>[], before: string): Generator<string> {
  for (const value of values ?? []) {
    // Only the last chunk of a value is shorter.
    if (value.length === CHUNK_BYTES) yield* joined(others, before + value);
    yield before + value;
  }
}

function withoutAge(attributes: string): string {
  return `${attributes.replace(/; Max-Age=\d+/, "")}; Max-Age=0`;
}

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text for `purpose` with the first key (32 bytes each), as base64url; without a key, no one can read or change it. */
export function seal(keys: readonly Buffer[], purpose: string, text: string): string {
  const [key] = keys;
  if (!key) throw new Error("There is no key to seal with.");
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString("base64url");
}

/** The text that was sealed for this purpose with one of the keys; null for anything else. */
export function unseal(keys: readonly Buffer[], purpose: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  for (const key of keys) {
    try {
      const decipher = createDecipheriv(CIPHER, keyOf(key), bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
    } catch {
      // Sealed with another key, for another purpose, or not sealed at all.
    }
  }
  return null;
}

const keyObjects = new WeakMap<Buffer, KeyObject>();

/** Made once: with the bytes themselves, unsealing takes twice as long. */
function keyOf(bytes: Buffer): KeyObject {
  const key = keyObjects.get(bytes) ?? createSecretKey(bytes);
  keyObjects.set(bytes, key);
  return key;
}

/** Whether two secrets are equal, compared in constant time. */
export function sameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
