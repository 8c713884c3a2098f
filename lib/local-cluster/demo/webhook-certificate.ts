import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { selfSignedCertificate } from "./self-signed-certificate.ts";

const validityYears = 10;

/** A key and a self-signed certificate for 127.0.0.1 (PEM), made once and kept in `directory`. */
export async function webhookCertificate(directory: string): Promise<{ key: string; cert: string }> {
  const keyFile = path.join(directory, "webhook.key");
  const certFile = path.join(directory, "webhook.crt");
  const [key, cert] = await Promise.all([keyFile, certFile].map((file) => readFile(file, "utf8").catch(() => undefined)));
  if (key && cert) return { key, cert };

  const notAfter = new Date();
  notAfter.setFullYear(notAfter.getFullYear() + validityYears);
  const made = await selfSignedCertificate("crdshift demo conversion webhook", notAfter);
  await writeFile(keyFile, made.key, { mode: 0o600 });
  await writeFile(certFile, made.cert);
  return made;
}
