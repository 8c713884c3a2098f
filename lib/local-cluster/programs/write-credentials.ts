import { generateKeyPair, randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { stringify } from "yaml";
import { selfSignedCertificate } from "./self-signed-certificate.ts";

const privateFile = { mode: 0o600 };
const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Writes tokens.csv (one token, of group system:masters) and the service account keys, unless an earlier start in the
 * same directory did, and returns the token.
 */
export async function writeCredentials(directory: string): Promise<{ token: string }> {
  // The API server creates a certificate for one year and would keep using it once expired.
  await rm(path.join(directory, "certs"), { recursive: true, force: true });

  const tokens = path.join(directory, "tokens.csv");
  const [existing] = (await readFile(tokens, "utf8").catch(() => "")).split(",");
  if (existing) return { token: existing };

  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await writeFile(path.join(directory, "service-account.key"), privateKey, privateFile);
  await writeFile(path.join(directory, "service-account.pub"), publicKey, privateFile);
  const token = randomBytes(32).toString("base64url");
  await writeFile(tokens, `${token},crdshift-admin,crdshift-admin,"system:masters"\n`, privateFile);
  return { token };
}

/** Writes etcd's certificate and its key, new at each start. */
export async function writeEtcdCertificate(directory: string): Promise<{ certFile: string; keyFile: string }> {
  const { cert, key } = await selfSignedCertificate("crdshift local etcd", new Date(Date.now() + YEAR_MS));
  const [certFile, keyFile] = [path.join(directory, "etcd.crt"), path.join(directory, "etcd.key")];
  await writeFile(certFile, cert, privateFile);
  await writeFile(keyFile, key, privateFile);
  return { certFile, keyFile };
}

/** Writes a kubeconfig with one context that verifies the server's certificate, mode 0600, and returns its path. */
export async function writeKubeconfig(options: {
  directory: string;
  context: string;
  server: string;
  token: string;
  caFile: string;
}): Promise<string> {
  const { directory, context, server, token, caFile } = options;
  const certificateAuthority = (await readFile(caFile)).toString("base64");
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: context, cluster: { server, "certificate-authority-data": certificateAuthority } }],
    users: [{ name: "crdshift-admin", user: { token } }],
    contexts: [{ name: context, context: { cluster: context, user: "crdshift-admin" } }],
    "current-context": context,
  };
  const file = path.join(directory, "kubeconfig");
  // Renamed into place, so that a watcher never reads half a file and the mode is always 0600.
  await writeFile(`${file}.new`, stringify(kubeconfig), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return file;
}
