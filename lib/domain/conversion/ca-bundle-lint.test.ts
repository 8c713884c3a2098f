import { expect, test } from "vitest";
import { type CaCertificate, lintCaBundle } from "./ca-bundle-lint.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");

const certificate = (subject: string, notBefore: string, notAfter: string): CaCertificate => ({
  ...{ subject, issuer: subject },
  notBefore: `${notBefore}T00:00:00.000Z`,
  notAfter: `${notAfter}T00:00:00.000Z`,
});
const good = certificate("CN=good", "2026-01-01", "2030-01-01");
const ending = certificate("CN=ending", "2026-01-01", "2026-06-11");
const expired = certificate("CN=expired", "2020-01-01", "2026-05-31");
const early = certificate("CN=early", "2026-07-01", "2030-01-01");

const lint = (certificates: CaCertificate[], problem: string | null = null) =>
  lintCaBundle({ certificates, problem }, NOW).map(({ severity, message }) => `${severity} ${message}`);

test("a bundle that stays valid for long has no findings, even with a certificate that expires soon", () => {
  expect(lint([good])).toEqual([]);
  expect(lint([ending, good])).toEqual([]);
});

test.each<[string, CaCertificate[], string]>([
  ["no certificate", [], "fail The CA bundle has no readable certificate."],
  ["an expired certificate", [expired], "fail Every certificate in the CA bundle has expired, the last on 2026-05-31."],
  [
    "a certificate that is not valid yet",
    [expired, early],
    "fail No certificate in the CA bundle is valid now; CN=early becomes valid on 2026-07-01.",
  ],
  ["a bundle that expires soon", [expired, ending], "warn The CA bundle is valid for 10 more days: CN=ending expires on 2026-06-11."],
  [
    "an expired certificate beside a valid one",
    [expired, good, early],
    "info Of 3 certificates in the CA bundle, 1 is expired, 1 is not valid yet; CN=good is valid until 2030-01-01.",
  ],
])("finds %s", (_, certificates, message) => {
  expect(lint(certificates)).toEqual([expect.stringContaining(message)]);
});

test("warns below 30 days, not at 30", () => {
  expect(lint([certificate("CN=x", "2026-01-01", "2026-07-01")])).toEqual([]);
  expect(lint([certificate("CN=x", "2026-01-01", "2026-06-30")])).toEqual([expect.stringContaining("valid for 29 more days")]);
});

test("reports unreadable parts of a bundle", () => {
  expect(lint([good], "1 of 2 certificates is broken")).toEqual([
    "warn Part of the CA bundle can't be read: 1 of 2 certificates is broken.",
  ]);
  expect(lint([], "it is no PEM")).toEqual(["fail The CA bundle has no readable certificate: it is no PEM."]);
});
