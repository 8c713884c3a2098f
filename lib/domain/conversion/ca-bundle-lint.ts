import { counted } from "#lib/domain/wording/counted.ts";
import type { ConversionFinding } from "./conversion-lint.ts";

export interface CaCertificate {
  subject: string;
  issuer: string;
  /** RFC 3339, as is notAfter. */
  notBefore: string;
  notAfter: string;
}

export interface CaBundle {
  certificates: CaCertificate[];
  /** What of the bundle can't be read; null when all of it can. */
  problem: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const EXPIRES_SOON_DAYS = 30;
/** Of a name inside a sentence; the whole of it stands with the certificate. */
const NAME_LENGTH = 80;

/**
 * What is wrong with a CA bundle, or soon will be. The API server trusts every certificate in it that is valid now, so the one that
 * lasts longest decides. `now` is in ms since the epoch.
 */
export function lintCaBundle({ certificates, problem }: CaBundle, now: number): ConversionFinding[] {
  if (certificates.length === 0) {
    return [
      {
        severity: "fail",
        message: `The CA bundle holds no certificate that can be read${problem ? `: ${problem}` : ""}.`,
        nextStep: "Replace caBundle by the CA's certificates in PEM; the API server refuses to trust anything else.",
      },
    ];
  }
  const partly: ConversionFinding[] = problem
    ? [{ severity: "warn", message: `Part of the CA bundle can't be read: ${problem}.`, nextStep: "Take that out, or put it right." }]
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
        message: `The CA bundle is good for ${counted(daysLeft, "more day")}: ${nameOf(longest)} expires on ${dayOf(longest.notAfter)}. No object can be converted after that.`,
        nextStep: "Put the CA that follows beside it now, then give the webhook a certificate of that one.",
      },
    ];
  }
  if (expired.length + early.length === 0) return [];
  const rest = [...told(expired, "expired"), ...told(early, "not valid yet")].join(", ");
  return [
    {
      severity: "info",
      message: `Of ${counted(certificates.length, "certificate")} in the CA bundle ${rest}; ${nameOf(longest)} holds until ${dayOf(longest.notAfter)}.`,
      nextStep: "Take out what has expired, once the webhook's certificate is signed by another one.",
    },
  ];
}

function noneValid(certificates: readonly CaCertificate[], early: readonly CaCertificate[]): ConversionFinding {
  const [first] = early.toSorted((one, other) => Date.parse(one.notBefore) - Date.parse(other.notBefore));
  if (first) {
    return {
      severity: "fail",
      message: `No certificate of the CA bundle is valid now; ${nameOf(first)} will be on ${dayOf(first.notBefore)}. No object can be converted until then.`,
      nextStep: "Put the CA that is in force into caBundle as well; if it should be valid already, look at the clocks.",
    };
  }
  const last = lasting(certificates);
  return {
    severity: "fail",
    message: `Every certificate of the CA bundle has expired${last ? `, the last on ${dayOf(last.notAfter)}` : ""}. No object can be converted.`,
    nextStep: "Put a valid CA into caBundle, and give the webhook a certificate of it.",
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
  return subject || "a certificate without a name";
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
