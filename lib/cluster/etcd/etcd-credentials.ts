import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import type { Env } from "#lib/settings/env.ts";

/** The credentials for etcd, as PEM; omitted ones aren't needed, or default to Node's. */
export interface EtcdCredentials {
  ca?: string;
  cert?: string;
  key?: string;
}

const files = { ca: "CRDSHIFT_ETCD_CACERT", cert: "CRDSHIFT_ETCD_CERT", key: "CRDSHIFT_ETCD_KEY" } as const;

/**
 * The contents of the files named in the environment, read each time since they may be renewed.
 * @throws AppError invalid_input for a file that can't be read, an invalid certificate, or a key that doesn't match.
 */
export function readEtcdCredentials(env: Env): EtcdCredentials {
  const credentials: EtcdCredentials = {};
  for (const part of ["ca", "cert", "key"] as const) {
    const file = env[files[part]];
    if (file) credentials[part] = readPem(files[part], file);
  }
  try {
    // A secure context accepts any text as authorities.
    if (credentials.ca) new X509Certificate(credentials.ca);
    createSecureContext(credentials);
  } catch (error) {
    throw new AppError("invalid_input", `The certificates in ${Object.values(files).join(", ")} can't be used.`, {
      clusterMessage: errorMessage(error),
      nextStep: "They must be PEM files, and the key must match the certificate. Fix them, or unset the variables.",
      cause: error,
    });
  }
  return credentials;
}

function readPem(variable: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AppError("invalid_input", `${variable}: the file ${file} can't be read.`, {
      clusterMessage: errorMessage(error),
      nextStep: `Set ${variable} to a PEM file that this process can read, or unset it.`,
      cause: error,
    });
  }
}
