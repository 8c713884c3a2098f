import { X509Certificate } from "node:crypto";
import type { NextTurn } from "#lib/async/in-turn-by-length.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { withExactCrd } from "#lib/cluster/definitions/crds.ts";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import type { Conversion } from "#lib/contract/definition/conversion.ts";
import type { CaBundle, CaCertificate } from "#lib/domain/conversion/ca-bundle-lint.ts";
import { conversionSpec } from "#lib/domain/conversion/conversion-change.ts";
import {
  type ConversionPair,
  type ConversionTarget,
  type ConversionWebhook,
  conversionPairs,
  lintConversion,
} from "#lib/domain/conversion/conversion-lint.ts";
import { COMPARISON_NODES, type SchemaDifference, schemaDifference } from "#lib/domain/conversion/schema-difference.ts";
import { type ExactJson, ExactNumber, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { versionSpecs } from "#lib/domain/versions/version-spec.ts";

const MAX_SHOWN_CERTIFICATES = 50;
const MAX_DIFFERENCES = 50;
/** Of pairs of schemas that are all small, so many nodes take milliseconds. */
const NODES_A_TURN = 4_000;
/** The API server's default: apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go. */
const DEFAULT_PORT = 443;

/**
 * A definition's current conversion: the webhook, the fields that only one version has, and the findings.
 * @throws AppError not_found, and the errors of reading a definition.
 */
export function readConversion(connection: Connection, crdName: string, signal: AbortSignal): Promise<Conversion> {
  return withExactCrd(connection, crdName, signal, async ({ crd, exact }, nextTurn) => {
    const webhook = await webhookOf(conversionSpec(exact), nextTurn);
    const versions = crd.versions.map(({ name }) => name);
    const pairs = conversionPairs(crd);
    await nextTurn();
    const { differences, complete } = await differencesOf(exact, pairs, nextTurn);
    return {
      strategy: webhook ? "Webhook" : "None",
      webhook: webhook && { ...webhook, ca: webhook.ca && firstCertificates(webhook.ca) },
      pairs: pairs.count,
      differences: differences.slice(0, MAX_DIFFERENCES),
      moreDifferences: Math.max(0, differences.length - MAX_DIFFERENCES),
      differencesComplete: complete,
      findings: lintConversion({ webhook, versions, differences, complete }, Date.now()),
      generation: crd.generation,
      asOf: new Date().toISOString(),
    };
  });
}

type Difference = ConversionPair & Pick<SchemaDifference, "fields" | "more">;

/** The pairs that differ, with fields of those that are listed. */
async function differencesOf(
  definition: ExactJson,
  { pairs, count }: ReturnType<typeof conversionPairs>,
  nextTurn: NextTurn,
): Promise<{ differences: Difference[]; complete: boolean }> {
  // Such a definition predates field pruning: the API server never drops fields of its objects.
  if (exactProperty(exactProperty(definition, "spec"), "preserveUnknownFields") === true) return { differences: [], complete: true };
  const budget = { nodes: COMPARISON_NODES };
  const schemas = new Map(
    versionSpecs(definition).map((version) => [version.name, exactProperty(exactProperty(version, "schema"), "openAPIV3Schema")]),
  );
  const differences: Difference[] = [];
  let complete = pairs.length === count;
  let turnEndsAt = budget.nodes - NODES_A_TURN;
  for (const pair of pairs) {
    if (budget.nodes <= 0) return { differences, complete: false };
    const isListed = differences.length < MAX_DIFFERENCES;
    const steps = schemaDifference(schemas.get(pair.from), schemas.get(pair.to), { budget, ...(!isListed && { mostFields: 0 }) });
    let step = steps.next();
    for (; !step.done; step = steps.next()) await nextTurn();
    const { fields, more, complete: isWhole } = step.value;
    complete &&= isWhole;
    if (fields.length + more > 0) differences.push({ ...pair, fields: fields.map(plainText), more });
    // To write paths takes longer than to compare.
    if (fields.length > 0 || budget.nodes <= turnEndsAt) {
      await nextTurn();
      turnEndsAt = budget.nodes - NODES_A_TURN;
    }
  }
  return { differences, complete };
}

async function webhookOf(conversion: ExactJson | undefined, nextTurn: NextTurn): Promise<ConversionWebhook | null> {
  if (exactProperty(conversion, "strategy") !== "Webhook") return null;
  const webhook = exactProperty(conversion, "webhook");
  const clientConfig = exactProperty(webhook, "clientConfig");
  const reviewVersions = exactProperty(webhook, "conversionReviewVersions");
  return {
    target: targetOf(clientConfig),
    conversionReviewVersions: Array.isArray(reviewVersions)
      ? reviewVersions.flatMap((version) => (typeof version === "string" ? plainText(version) : []))
      : [],
    ca: await caCertificates(textOf(clientConfig, "caBundle"), nextTurn),
  };
}

function targetOf(clientConfig: ExactJson | undefined): ConversionTarget {
  const url = textOf(clientConfig, "url");
  if (url !== null) return { kind: "url", url: plainText(url) };
  const service = exactProperty(clientConfig, "service");
  if (service === undefined) return { kind: "nowhere" };
  const path = textOf(service, "path");
  const port = exactProperty(service, "port");
  return {
    kind: "service",
    namespace: plainText(textOf(service, "namespace") ?? ""),
    name: plainText(textOf(service, "name") ?? ""),
    path: path === null ? null : plainText(path),
    port: port instanceof ExactNumber ? Number(port.text) : DEFAULT_PORT,
  };
}

function firstCertificates({ certificates, problem }: NonNullable<ConversionWebhook["ca"]>) {
  const shown = certificates.slice(0, MAX_SHOWN_CERTIFICATES);
  return { certificates: shown, moreCertificates: certificates.length - shown.length, problem };
}

function textOf(value: ExactJson | undefined, key: string): string | null {
  const text = exactProperty(value, key);
  return typeof text === "string" ? text : null;
}

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";
/** There are fewer public roots. */
const MAX_CERTIFICATES = 200;
const MAX_NAME_LENGTH = 300;

/**
 * The certificates of `clientConfig.caBundle` (PEM in base64), in order; null for a bundle that counts as none. Unreadable parts are
 * reported and never throw, and the rest still counts, as it does for the API server.
 * Sources: apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go (what counts as none), Go's x509.AppendCertsFromPEM.
 */
export async function caCertificates(caBundle: string | null, nextTurn: NextTurn): Promise<CaBundle | null> {
  const pem = Buffer.from(caBundle ?? "", "base64").toString("latin1");
  if (pem.trim() === "") return null;
  const [, ...blocks] = pem.split(BEGIN);
  if (blocks.length === 0) return { certificates: [], problem: "it is not PEM, or it contains no certificate" };
  const certificates: (CaCertificate | null)[] = [];
  for (const block of blocks.slice(0, MAX_CERTIFICATES)) {
    certificates.push(certificateOf(block));
    // One with many names takes milliseconds.
    await nextTurn();
  }
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
