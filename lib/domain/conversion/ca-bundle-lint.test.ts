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

test("a bundle that is good for long brings up nothing, also beside a certificate that ends soon", () => {
  expect(lint([good])).toEqual([]);
  expect(lint([ending, good])).toEqual([]);
});

test.each<[string, CaCertificate[], string]>([
  ["no certificate", [], "fail The CA bundle holds no certificate that can be read."],
  ["one that has expired", [expired], "fail Every certificate of the CA bundle has expired, the last on 2026-05-31."],
  ["one that is not valid yet", [expired, early], "fail No certificate of the CA bundle is valid now; CN=early will be on 2026-07-01."],
  ["the last that ends soon", [expired, ending], "warn The CA bundle is good for 10 more days: CN=ending expires on 2026-06-11."],
  [
    "an expired one beside a good one",
    [expired, good, early],
    "info Of 3 certificates in the CA bundle 1 is expired, 1 is not valid yet; CN=good holds until 2030-01-01.",
  ],
])("%s is found", (_, certificates, message) => {
  expect(lint(certificates)).toEqual([expect.stringContaining(message)]);
});

test("30 days are not soon, and a day less is", () => {
  expect(lint([certificate("CN=x", "2026-01-01", "2026-07-01")])).toEqual([]);
  expect(lint([certificate("CN=x", "2026-01-01", "2026-06-30")])).toEqual([expect.stringContaining("good for 29 more days")]);
});

test("what can't be read is told beside what can", () => {
  expect(lint([good], "1 of 2 certificates is broken")).toEqual([
    "warn Part of the CA bundle can't be read: 1 of 2 certificates is broken.",
  ]);
  expect(lint([], "it is no PEM")).toEqual(["fail The CA bundle holds no certificate that can be read: it is no PEM."]);
});
