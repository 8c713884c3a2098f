import { X509Certificate } from "node:crypto";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import type { CaBundle, CaCertificate } from "#lib/domain/conversion/ca-bundle-lint.ts";

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";
/** There are fewer than two hundred public roots. */
const MAX_CERTIFICATES = 1_000;
const MAX_NAME_LENGTH = 300;

/**
 * The certificates of `clientConfig.caBundle` (PEM in base64), in order; null for a bundle that counts as none. Unreadable parts are
 * reported and never throw, and the rest still counts, as it does for the API server.
 * Sources: apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go (what counts as none), Go's x509.AppendCertsFromPEM.
 */
export function caCertificates(caBundle: string | null): CaBundle | null {
  const pem = Buffer.from(caBundle ?? "", "base64").toString("latin1");
  if (pem.trim() === "") return null;
  const [, ...blocks] = pem.split(BEGIN);
  if (blocks.length === 0) return { certificates: [], problem: "it is not PEM, or it contains no certificate" };
  const certificates = blocks.slice(0, MAX_CERTIFICATES).map(certificateOf);
  const unreadable = certificates.filter((certificate) => certificate === null).length;
  const problems = [
    ...(unreadable > 0 ? [`${unreadable} of ${blocks.length} certificates ${unreadable === 1 ? "is" : "are"} broken`] : []),
    ...(blocks.length > MAX_CERTIFICATES ? [`only the first ${MAX_CERTIFICATES} of ${blocks.length} certificates were checked`] : []),
  ];
  return { certificates: certificates.flatMap((certificate) => certificate ?? []), problem: problems.join("; ") || null };
}

function certificateOf(block: string): CaCertificate | null {
  const end = block.indexOf(END);
  // Only headers contain a colon, and blocks with headers are skipped.
  if (end < 0 || block.slice(0, end).includes(":")) return null;
  try {
    const certificate = new X509Certificate(Buffer.from(block.slice(0, end), "base64"));
    return {
      subject: nameOf(certificate.subject),
      issuer: nameOf(certificate.issuer),
      notBefore: certificate.validFromDate.toISOString(),
      notAfter: certificate.validToDate.toISOString(),
    };
  } catch {
    return null;
  }
}

/** `CN=…, O=…` from OpenSSL's one line for each; empty for a certificate without a name. */
function nameOf(name: string | undefined): string {
  return plainText(name ?? "")
    .replaceAll("\n", ", ")
    .slice(0, MAX_NAME_LENGTH);
}
