import { generateKeyPair, randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const privateFile = { mode: 0o600 };

/**
 * Writes tokens.csv (one token, of group system:masters) and the service account keys, unless an earlier start in the
 * same directory did, and returns the token.
 */
export async function writeCredentials(directory: string): Promise<{ token: string }> {
  // The API server makes itself a certificate for one year and would go on using an expired one.
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
