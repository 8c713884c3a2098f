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
