import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";

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
