import type { SchemaDifference } from "#lib/domain/schema/schema-difference.ts";
import { counted } from "#lib/domain/wording/counted.ts";
import { type CaBundle, lintCaBundle } from "./ca-bundle-lint.ts";
import type { ConversionPair } from "./conversion-pairs.ts";

/** Where the API server sends objects to be converted. `nowhere` is what it accepts from nobody. */
export type ConversionTarget =
  | { kind: "url"; url: string }
  | { kind: "service"; namespace: string; name: string; path: string | null; port: number }
  | { kind: "nowhere" };

export interface ConversionWebhook {
  target: ConversionTarget;
  conversionReviewVersions: string[];
  /** Null when none is set. */
  ca: CaBundle | null;
}

/** A pair of versions with what one has and the other has no place for. */
export type PairDifference = ConversionPair & Pick<SchemaDifference, "fields" | "more">;

/** What the lint looks at. */
export interface LintedConversion {
  webhook: ConversionWebhook | null;
  /** Of the spec. */
  versions: readonly string[];
  /** Of the pairs that there is cause to convert; those without a difference left out. */
  differences: readonly PairDifference[];
}

/** Kept in step with acceptedConversionReviewVersions of apiextensions-apiserver/pkg/apis/apiextensions/validation. */
const SPOKEN = ["v1", "v1beta1"];
const NAMED_PAIRS = 3;
const NAMED_FIELDS = 3;

/** What is wrong with how objects are converted, or soon will be, the gravest first. `now` is in ms since the epoch. */
export function lintConversion({ webhook, versions, differences }: LintedConversion, now: number): ConversionFinding[] {
  const findings = webhook === null ? unconvertedFields(differences) : [...unneeded(versions), ...lintWebhook(webhook, now)];
  return findings.toSorted((one, other) => findingSeverities.indexOf(one.severity) - findingSeverities.indexOf(other.severity));
}

/** What strategy None loses: it writes another apiVersion and carries nothing over. */
function unconvertedFields(differences: readonly PairDifference[]): ConversionFinding[] {
  if (differences.length === 0) return [];
  const named = differences.slice(0, NAMED_PAIRS).map(({ from, to, fields, more }) => {
    const rest = fields.length + more - NAMED_FIELDS;
    return `${from} to ${to} drops ${fields.slice(0, NAMED_FIELDS).join(", ")}${rest > 0 ? ` and ${counted(rest, "more field")}` : ""}`;
  });
  const pairs = differences.length - named.length;
  return [
    {
      severity: "warn",
      message: `Strategy None changes nothing but the apiVersion, and the schemas differ: ${named.join("; ")}${pairs > 0 ? `; ${counted(pairs, "more pair")} of versions likewise` : ""}.`,
      nextStep: "Give the versions the same fields, or set a conversion webhook that carries these over, before a client writes them.",
    },
  ];
}

function unneeded(versions: readonly string[]): ConversionFinding[] {
  if (versions.length !== 1) return [];
  return [
    {
      severity: "warn",
      message: `A conversion webhook is set, and ${versions[0]} is the only version: nothing is ever converted.`,
      nextStep: "Set the strategy to None; the webhook can be switched off then, if nothing else calls it.",
    },
  ];
}

function lintWebhook({ target, conversionReviewVersions, ca }: ConversionWebhook, now: number): ConversionFinding[] {
  return [...lintTarget(target, ca !== null), ...lintReviewVersions(conversionReviewVersions), ...(ca ? lintCaBundle(ca, now) : [])];
}

function lintTarget(target: ConversionTarget, hasCa: boolean): ConversionFinding[] {
  switch (target.kind) {
    case "nowhere":
      return [
        {
          severity: "fail",
          message: "The webhook has neither a URL nor a service.",
          nextStep: "Set spec.conversion.webhook.clientConfig.service or url.",
        },
      ];
    case "service":
      if (hasCa) return [];
      return [
        {
          severity: "fail",
          message: `No CA bundle is set. The API server then trusts the roots of its own system only, and none of these signs certificates for ${target.name}.${target.namespace}.svc.`,
          nextStep:
            "Put the CA of the webhook's certificate into spec.conversion.webhook.clientConfig.caBundle. Where cert-manager or an operator is to put it there, find out why it has not.",
        },
      ];
    case "url":
      if (hasCa) return [];
      return [
        {
          severity: "info",
          message: "No CA bundle is set: the API server trusts the roots of its own system only.",
          nextStep: "Set caBundle, unless a public authority has signed the webhook's certificate.",
        },
      ];
    default:
      return target satisfies never;
  }
}

function lintReviewVersions(versions: readonly string[]): ConversionFinding[] {
  const unknown = versions.filter((version) => !SPOKEN.includes(version));
  if (unknown.length === versions.length) {
    return [
      {
        severity: "fail",
        message: `No API server speaks any of the conversionReviewVersions (${versions.join(", ") || "none"}), so every conversion fails.`,
        nextStep: "Add v1, once the webhook answers a ConversionReview of apiextensions.k8s.io/v1.",
      },
    ];
  }
  const findings: ConversionFinding[] = [];
  if (!versions.includes("v1")) {
    findings.push({
      severity: "warn",
      message: "Of ConversionReview only v1beta1 is offered, in which the API server does not check whose answer it gets.",
      nextStep: "Teach the webhook apiextensions.k8s.io/v1, then put v1 first.",
    });
  }
  if (unknown.length > 0) {
    findings.push({
      severity: "info",
      message: `No API server speaks ${unknown.join(", ")} of the conversionReviewVersions; it takes the first that it knows.`,
      nextStep: "Take out what the webhook does not need.",
    });
  }
  return findings;
}

/** The gravest first. */
export const findingSeverities = ["fail", "warn", "info"] as const;

/** What a look at a definition's conversion brings up. `fail`: objects can't be converted. `warn`: somebody should act. */
export interface ConversionFinding {
  severity: (typeof findingSeverities)[number];
  message: string;
  nextStep: string;
}
