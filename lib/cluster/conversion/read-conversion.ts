import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readExactCrd } from "#lib/cluster/definitions/crds.ts";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import type { Conversion } from "#lib/contract/definition/conversion.ts";
import { conversionSpec } from "#lib/domain/conversion/conversion-change.ts";
import { type ConversionTarget, type ConversionWebhook, lintConversion } from "#lib/domain/conversion/conversion-lint.ts";
import { conversionPairs } from "#lib/domain/conversion/conversion-pairs.ts";
import { type ExactJson, ExactNumber, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { COMPARISON_NODES, schemaDifference } from "#lib/domain/schema/schema-difference.ts";
import { versionSpec } from "#lib/domain/versions/version-spec.ts";
import { caCertificates } from "./ca-certificates.ts";

const MAX_CERTIFICATES = 50;
const MAX_DIFFERENCES = 50;
/** The API server's default: apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go. */
const DEFAULT_PORT = 443;

/**
 * A definition's current conversion: the webhook, the fields that only one version has, and the findings.
 * @throws AppError not_found, and the errors of reading a definition.
 */
export async function readConversion(connection: Connection, crdName: string, signal: AbortSignal): Promise<Conversion> {
  const { crd, exact } = await readExactCrd(connection, crdName, signal);
  const webhook = webhookOf(conversionSpec(exact));
  const versions = crd.versions.map(({ name }) => name);
  const pairs = conversionPairs(crd);
  const { differences, complete } = differencesOf(exact, pairs);
  return {
    strategy: webhook ? "Webhook" : "None",
    webhook: webhook && { ...webhook, ca: webhook.ca && firstCertificates(webhook.ca) },
    pairs: pairs.length,
    differences: differences.slice(0, MAX_DIFFERENCES),
    moreDifferences: Math.max(0, differences.length - MAX_DIFFERENCES),
    differencesComplete: complete,
    findings: lintConversion({ webhook, versions, differences }, Date.now()),
    generation: crd.generation,
    asOf: new Date().toISOString(),
  };
}

function differencesOf(definition: ExactJson, pairs: ReturnType<typeof conversionPairs>) {
  // Such a definition predates field pruning: the API server never drops fields of its objects.
  if (exactProperty(exactProperty(definition, "spec"), "preserveUnknownFields") === true) return { differences: [], complete: true };
  const budget = { nodes: COMPARISON_NODES };
  const schemaOf = (version: string) => exactProperty(exactProperty(versionSpec(definition, version) ?? {}, "schema"), "openAPIV3Schema");
  const compared = pairs.map((pair) => ({ ...pair, ...schemaDifference(schemaOf(pair.from), schemaOf(pair.to), budget) }));
  return {
    differences: compared
      .filter(({ fields }) => fields.length > 0)
      .map(({ complete: _, ...difference }) => ({
        ...difference,
        fields: difference.fields.map(plainText),
      })),
    complete: compared.every(({ complete }) => complete),
  };
}

function webhookOf(conversion: ExactJson | undefined): ConversionWebhook | null {
  if (exactProperty(conversion, "strategy") !== "Webhook") return null;
  const webhook = exactProperty(conversion, "webhook");
  const clientConfig = exactProperty(webhook, "clientConfig");
  const reviewVersions = exactProperty(webhook, "conversionReviewVersions");
  return {
    target: targetOf(clientConfig),
    conversionReviewVersions: Array.isArray(reviewVersions)
      ? reviewVersions.flatMap((version) => (typeof version === "string" ? plainText(version) : []))
      : [],
    ca: caCertificates(textOf(clientConfig, "caBundle")),
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
  const shown = certificates.slice(0, MAX_CERTIFICATES);
  return { certificates: shown, moreCertificates: certificates.length - shown.length, problem };
}

function textOf(value: ExactJson | undefined, key: string): string | null {
  const text = exactProperty(value, key);
  return typeof text === "string" ? text : null;
}
