import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { ConversionFinding } from "./conversion-finding.ts";

export interface CaCertificate {
  subject: string;
  issuer: string;
  /** RFC 3339, as is notAfter. */
  notBefore: string;
  notAfter: string;
}

export interface CaBundle {
  certificates: CaCertificate[];
  /** Which part of the bundle can't be read; null when all of it can. */
  problem: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const EXPIRES_SOON_DAYS = 30;
/** For a name inside a sentence; the certificate list shows the full name. */
const NAME_LENGTH = 80;

/**
 * Current and upcoming problems of a CA bundle. The API server trusts every certificate in it that is valid now, so the one with the
 * latest expiry decides. `now` is in ms since the epoch.
 */
export function lintCaBundle({ certificates, problem }: CaBundle, now: number): ConversionFinding[] {
  if (certificates.length === 0) {
    return [
      {
        severity: "fail",
        message: `The CA bundle has no readable certificate${problem ? `: ${problem}` : ""}.`,
        nextStep: "Set caBundle to the CA's certificates in PEM format; the API server trusts nothing else.",
      },
    ];
  }
  const partly: ConversionFinding[] = problem
    ? [{ severity: "warn", message: `Part of the CA bundle can't be read: ${problem}.`, nextStep: "Fix or remove that part." }]
    : [];
  return [...partly, ...lintTimes(certificates, now)];
}

function lintTimes(certificates: readonly CaCertificate[], now: number): ConversionFinding[] {
  const isExpired = ({ notAfter }: CaCertificate) => Date.parse(notAfter) < now;
  const isEarly = ({ notBefore }: CaCertificate) => Date.parse(notBefore) > now;
  const expired = certificates.filter(isExpired);
  const early = certificates.filter(isEarly);
  const longest = lasting(certificates.filter((certificate) => !isExpired(certificate) && !isEarly(certificate)));
  if (longest === null) return [noneValid(certificates, early)];

  const daysLeft = Math.floor((Date.parse(longest.notAfter) - now) / DAY_MS);
  if (daysLeft < EXPIRES_SOON_DAYS) {
    return [
      {
        severity: "warn",
        message: `The CA bundle is valid for ${formatCountOf(daysLeft, "more day")}: ${nameOf(longest)} expires on ${dayOf(longest.notAfter)}. After that, no object can be converted.`,
        nextStep: "Add the new CA to the bundle now, then issue the webhook a certificate from it.",
      },
    ];
  }
  if (expired.length + early.length === 0) return [];
  const rest = [...told(expired, "expired"), ...told(early, "not valid yet")].join(", ");
  return [
    {
      severity: "info",
      message: `Of ${formatCountOf(certificates.length, "certificate")} in the CA bundle, ${rest}; ${nameOf(longest)} is valid until ${dayOf(longest.notAfter)}.`,
      nextStep: "Once another CA signs the webhook's certificate, remove the expired ones.",
    },
  ];
}

function noneValid(certificates: readonly CaCertificate[], early: readonly CaCertificate[]): ConversionFinding {
  const [first] = early.toSorted((one, other) => Date.parse(one.notBefore) - Date.parse(other.notBefore));
  if (first) {
    return {
      severity: "fail",
      message: `No certificate in the CA bundle is valid now; ${nameOf(first)} becomes valid on ${dayOf(first.notBefore)}. Until then, no object can be converted.`,
      nextStep: "Add the CA currently in use to caBundle. If this one should already be valid, check the clocks.",
    };
  }
  const last = lasting(certificates);
  return {
    severity: "fail",
    message: `Every certificate in the CA bundle has expired${last ? `, the last on ${dayOf(last.notAfter)}` : ""}. No object can be converted.`,
    nextStep: "Add a valid CA to caBundle, and issue the webhook a certificate from it.",
  };
}

function lasting(certificates: readonly CaCertificate[]): CaCertificate | null {
  return certificates.reduce<CaCertificate | null>(
    (longest, certificate) => (longest && Date.parse(longest.notAfter) >= Date.parse(certificate.notAfter) ? longest : certificate),
    null,
  );
}

function told(certificates: readonly CaCertificate[], what: string): string[] {
  return certificates.length === 0 ? [] : [`${certificates.length} ${certificates.length === 1 ? "is" : "are"} ${what}`];
}

function nameOf({ subject }: CaCertificate): string {
  if (subject.length > NAME_LENGTH) return `${subject.slice(0, NAME_LENGTH)}…`;
  return subject || "an unnamed certificate";
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
