import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { SignIn } from "./sign-in-to.ts";

/** When the client certificate expires, in ms since the epoch; null if there is none that can be read. */
export function usableUntil({ cert }: SignIn["tls"]): number | null {
  const [first] = [cert ?? []].flat();
  if (!first) return null;
  try {
    return Date.parse(new X509Certificate(first).validTo);
  } catch {
    return null;
  }
}

/** Whether a connection can be made with them: while the two files are being replaced, the certificate and the key don't match. */
export function isUsable(tls: SignIn["tls"]): boolean {
  try {
    createSecureContext({ ca: tls.ca, cert: tls.cert, key: tls.key });
    return true;
  } catch {
    return false;
  }
}
