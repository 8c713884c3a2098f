import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { generate } from "selfsigned";

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

/** A new key and a self-signed certificate for 127.0.0.1 (PEM), which can be its own CA. */
export async function selfSignedCertificate(commonName: string, notAfterDate: Date): Promise<{ key: string; cert: string }> {
  const made = await generate([{ name: "commonName", value: commonName }], {
    keyType: "ec",
    algorithm: "sha256",
    notAfterDate,
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "keyUsage", digitalSignature: true, keyCertSign: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  return { key: made.private, cert: made.cert };
}
