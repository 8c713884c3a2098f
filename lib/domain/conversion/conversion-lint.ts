import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { versionPriorityOrder } from "#lib/domain/versions/version-priority.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { type CaBundle, lintCaBundle } from "./ca-bundle-lint.ts";
import { type ConversionFinding, findingSeverities } from "./conversion-finding.ts";
import type { SchemaDifference } from "./schema-difference.ts";

/** Where the API server sends objects for conversion. It never accepts `nowhere`. */
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

/** A pair of versions with the fields that `from` has and `to` lacks. */
type PairDifference = ConversionPair & Pick<SchemaDifference, "fields" | "more">;

/** The lint's input. */
export interface LintedConversion {
  webhook: ConversionWebhook | null;
  /** All versions in the spec. */
  versions: readonly string[];
  /** Only pairs that the API server may convert and that differ. */
  differences: readonly PairDifference[];
  /** Whether these are all. */
  complete: boolean;
}

/** Kept in step with acceptedConversionReviewVersions of apiextensions-apiserver/pkg/apis/apiextensions/validation. */
const SPOKEN = ["v1", "v1beta1"];
const NAMED_PAIRS = 3;
const NAMED_FIELDS = 3;

/** Current and upcoming problems of a conversion, most severe first. `now` is in ms since the epoch. */
export function lintConversion({ webhook, versions, ...compared }: LintedConversion, now: number): ConversionFinding[] {
  const findings = webhook === null ? unconvertedFields(compared) : versions.length === 1 ? unneeded(versions) : lintWebhook(webhook, now);
  return findings.toSorted((one, other) => findingSeverities.indexOf(one.severity) - findingSeverities.indexOf(other.severity));
}

/** The fields that strategy None drops: it only rewrites the apiVersion. */
function unconvertedFields({ differences, complete }: Pick<LintedConversion, "differences" | "complete">): ConversionFinding[] {
  if (differences.length === 0) return [];
  const named = differences.slice(0, NAMED_PAIRS).map(({ from, to, fields, more }) => {
    const rest = fields.length + more - NAMED_FIELDS;
    return `${from} to ${to} drops ${fields.slice(0, NAMED_FIELDS).join(", ")}${rest > 0 ? ` and ${formatCountOf(rest, "more field")}` : ""}`;
  });
  const pairs = differences.length - named.length;
  const morePairs = `${complete ? "" : "at least "}${formatCountOf(pairs, "more version pair")}`;
  return [
    {
      severity: "warn",
      message: `Strategy None changes only the apiVersion, but the schemas differ: ${named.join("; ")}${pairs > 0 ? `; and ${morePairs}` : ""}.`,
      nextStep:
        "Before a client writes these fields, give the versions the same fields or set a conversion webhook that carries them over.",
    },
  ];
}

// Its other problems can't stop a conversion, because there is none.
function unneeded(versions: readonly string[]): ConversionFinding[] {
  return [
    {
      severity: "warn",
      message: `A conversion webhook is set, but ${versions[0]} is the only version, so nothing is ever converted.`,
      nextStep: "Set the strategy to None. You can then turn off the webhook if nothing else calls it.",
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
          message: `No CA bundle is set, so the API server trusts only its system roots, none of which signs certificates for ${target.name}.${target.namespace}.svc.`,
          nextStep:
            "Set spec.conversion.webhook.clientConfig.caBundle to the CA of the webhook's certificate. If cert-manager or an operator should inject it, find out why it hasn't.",
        },
      ];
    case "url":
      if (hasCa) return [];
      return [
        {
          severity: "info",
          message: "No CA bundle is set, so the API server trusts only its system roots.",
          nextStep: "Set caBundle, unless a public authority signed the webhook's certificate.",
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
        message: `No API server supports any of the conversionReviewVersions (${firstOf(versions) || "none"}), so every conversion fails.`,
        nextStep: "Add v1 once the webhook supports ConversionReview in apiextensions.k8s.io/v1.",
      },
    ];
  }
  const findings: ConversionFinding[] = [];
  if (!versions.includes("v1")) {
    findings.push({
      severity: "warn",
      message: "conversionReviewVersions lists only v1beta1, where the API server doesn't check that a response belongs to its request.",
      nextStep: "Add support for apiextensions.k8s.io/v1 to the webhook, then list v1 first.",
    });
  }
  if (unknown.length > 0) {
    findings.push({
      severity: "info",
      message: `No API server supports ${firstOf(unknown)} in conversionReviewVersions; it uses the first version it knows.`,
      nextStep: "Remove the entries the webhook doesn't need.",
    });
  }
  return findings;
}

export interface ConversionPair {
  from: string;
  to: string;
}

/** Far more than any definition in use has. A thousand versions that are all stored have a million. */
const MOST_PAIRS = 10_000;

/**
 * The conversions that the API server may perform for the current definition: from versions that may be stored to served ones, and from
 * served versions to the storage version. The first 10,000 in priority order, and the number of all.
 */
export function conversionPairs(crd: Pick<Crd, "versions" | "storedVersions">): { pairs: ConversionPair[]; count: number } {
  const storage = storageVersion(crd)?.name;
  const versions = versionPriorityOrder(crd.versions);
  const mayBeStored = new Set([storage, ...crd.storedVersions]);
  // Looked up once: a definition may have thousands of versions.
  const ofStored = versions.filter((to) => to.served || to.name === storage);
  const ofServed = versions.filter((to) => to.name === storage);
  const pairs: ConversionPair[] = [];
  let count = 0;
  for (const from of versions) {
    const isStored = mayBeStored.has(from.name);
    const targets = isStored ? ofStored : from.served ? ofServed : [];
    const hasItself = isStored && (from.served || from.name === storage);
    count += targets.length - (hasItself ? 1 : 0);
    if (pairs.length >= MOST_PAIRS) continue;
    const others = targets.filter((to) => to !== from);
    pairs.push(...others.slice(0, MOST_PAIRS - pairs.length).map((to) => ({ from: from.name, to: to.name })));
  }
  return { pairs, count };
}
