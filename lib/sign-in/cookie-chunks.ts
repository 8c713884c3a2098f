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
