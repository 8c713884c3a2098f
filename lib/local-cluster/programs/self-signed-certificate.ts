import { generate } from "selfsigned";

/** A new key and a self-signed certificate for 127.0.0.1 (PEM): for a server, a client, and as the CA of both. */
export async function selfSignedCertificate(commonName: string, notAfterDate: Date): Promise<{ key: string; cert: string }> {
  const made = await generate([{ name: "commonName", value: commonName }], {
    keyType: "ec",
    algorithm: "sha256",
    notAfterDate,
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "keyUsage", digitalSignature: true, keyCertSign: true },
      { name: "extKeyUsage", serverAuth: true, clientAuth: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  return { key: made.private, cert: made.cert };
}
