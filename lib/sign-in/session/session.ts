import { randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { tokenExpiry } from "#lib/cluster/connection/credentials.ts";
import type { SessionEnd } from "#lib/contract/session.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { readEnv } from "#lib/settings/env.ts";
import { listening, type Mode, modeOf, publicOrigin } from "#lib/sign-in/mode.ts";
import { seal, unseal } from "./seal.ts";
import { isSignedOut } from "./signed-out.ts";

const sessionSchema = z.strictObject({
  id: z.string(),
  mode: z.enum(["local", "token"]),
  /** The bearer token that somebody signed in with; null in `local`. */
  token: z.string().nullable(),
  /** When it ends, in ms since the epoch. */
  until: z.number(),
});

/** Who somebody is that has signed in with a browser, as the cookie holds it. */
export type Session = z.infer<typeof sessionSchema>;

const LONGEST_MS = 8 * 3_600_000;
/** What sealing adds, and base64 makes of it. */
const SEALED = { overhead: 28, growth: 4 / 3 };

/** A session that begins now: it lasts eight hours at most, and no longer than the token. */
export function newSession(mode: Session["mode"], token: { text: string; expiresAt: number | null } | null): Session {
  const longest = Date.now() + LONGEST_MS;
  return { id: randomUUID(), mode, token: token?.text ?? null, until: Math.min(longest, token?.expiresAt ?? longest) };
}

/** Whether a token fits into the cookie. */
export function fitsCookie(token: string): boolean {
  const inJson = JSON.stringify({ ...newSession("token", null), token });
  return (Buffer.byteLength(inJson) + SEALED.overhead) * SEALED.growth < MAX_COOKIE_VALUE;
}

/** The session of a request; null without one, and then why the one that it came with is over, where that is known. */
export type FoundSession = { session: Session; ended: null } | { session: null; ended: SessionEnd | null };

/** Looks for the session of a request: there is none after its end, after a sign-out, of another mode or another key. */
export function findSession(request: Request): FoundSession {
  const name = cookieName(request);
  const sealed = readCookieChunks(name, request.headers.get("cookie") ?? "");
  if (!sealed) return { session: null, ended: null };
  const text = unseal(keys(), name, sealed);
  // Of an older or newer release it may be of another shape.
  const session = text === null ? undefined : sessionSchema.safeParse(JSON.parse(text)).data;
  const mode: Mode = modeOf(readEnv());
  if (session?.mode !== mode) return { session: null, ended: "other-key" };
  if (isSignedOut(session.id)) return { session: null, ended: "signed-out" };
  if (session.until > Date.now()) return { session, ended: null };
  const isTokens = session.token !== null && tokenExpiry(session.token) === session.until;
  return { session: null, ended: isTokens ? "token-over" : "time-over" };
}

/** The Set-Cookie headers that begin a session. */
export function sessionCookies(request: Request, session: Session): string[] {
  const name = cookieName(request);
  const seconds = Math.max(0, Math.floor((session.until - Date.now()) / 1_000));
  return setCookieChunks(name, seal(keys(), name, JSON.stringify(session)), `${attributes(request)}; Max-Age=${seconds}`);
}

/** The Set-Cookie headers that take every session away. */
export function endingCookies(request: Request): string[] {
  return clearCookieChunks(cookieName(request), attributes(request));
}

/** Whether the browser reaches this over https: then the address is one of CRDSHIFT_ORIGINS. */
function isSecure(request: Request): boolean {
  return publicOrigin(request.headers.get("host") ?? "", readEnv().CRDSHIFT_ORIGINS)?.startsWith("https:") ?? false;
}

function attributes(request: Request): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure(request) ? "; Secure" : ""}`;
}

// The ports of one host share their cookies, so that two crdshifts on it need names of their own.
function cookieName(request: Request): string {
  const instance = readEnv().CRDSHIFT_INSTANCE || String(listening().port ?? "");
  return `${isSecure(request) ? "__Host-" : ""}crdshift-${instance}-s`;
}

function keys(): Buffer[] {
  const configured = readEnv().CRDSHIFT_SESSION_KEYS;
  return configured.length > 0 ? configured : [processWide("session-key", () => randomBytes(32))];
}

/** Browsers keep 4096 bytes a cookie, name and attributes included. */
const CHUNK_BYTES = 3_800;
/** So that they stay well below the 32 KiB that a request's headers may have. */
const MAX_CHUNKS = 4;

/** How long a value may be to be kept in cookies. */
export const MAX_COOKIE_VALUE = CHUNK_BYTES * MAX_CHUNKS;

/** The cookies `name.0`, `name.1` … that hold a value, each with the attributes; those that it does not need are taken away. */
export function setCookieChunks(name: string, value: string, attributes: string): string[] {
  if (value.length > MAX_COOKIE_VALUE) throw new Error("The value is too long for cookies.");
  return Array.from({ length: MAX_CHUNKS }, (_, index) => {
    const chunk = value.slice(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
    return `${name}.${index}=${chunk}; ${chunk ? attributes : withoutAge(attributes)}`;
  });
}

/** What takes them all away. */
export function clearCookieChunks(name: string, attributes: string): string[] {
  return setCookieChunks(name, "", attributes);
}

/** The value that a Cookie header holds in chunks; null when it holds none. Of two of a name the first counts. */
export function readCookieChunks(name: string, header: string): string | null {
  const chunks = new Map<string, string>();
  for (const pair of header.split(";")) {
    const [key = "", ...rest] = pair.split("=");
    if (!chunks.has(key.trim())) chunks.set(key.trim(), rest.join("=").trim());
  }
  let value = "";
  for (let index = 0; index < MAX_CHUNKS; index += 1) {
    const chunk = chunks.get(`${name}.${index}`);
    if (!chunk) break;
    value += chunk;
  }
  return value || null;
}

function withoutAge(attributes: string): string {
  return `${attributes.replace(/; Max-Age=\d+/, "")}; Max-Age=0`;
}
