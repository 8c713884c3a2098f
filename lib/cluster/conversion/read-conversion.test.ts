import { generate } from "selfsigned";
import { expect, test, vi } from "vitest";
import { caCertificates } from "./read-conversion.ts";

const caCertificatesOf = (caBundle: string | null) => caCertificates(caBundle, async () => {});
const base64 = (text: string) => Buffer.from(text).toString("base64");

async function certificate(commonName: string, notBefore: string, notAfter: string): Promise<string> {
  const made = await generate([{ name: "commonName", value: commonName }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(notBefore),
    notAfterDate: new Date(notAfter),
    extensions: [{ name: "basicConstraints", cA: true }],
  });
  return made.cert;
}

const one = await certificate("one", "2025-01-01T00:00:00Z", "2030-01-01T00:00:00Z");
const two = await certificate("t\u202ewo", "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z");

test("reads subject, issuer and times of every certificate, in the bundle's order", async () => {
  expect(await caCertificatesOf(base64(`# a comment\n${one}\n${two}`))).toEqual({
    certificates: [
      { subject: "CN=one", issuer: "CN=one", notBefore: "2025-01-01T00:00:00.000Z", notAfter: "2030-01-01T00:00:00.000Z" },
      expect.objectContaining({ notBefore: "2020-01-01T00:00:00.000Z", notAfter: "2021-01-01T00:00:00.000Z" }),
    ],
    problem: null,
  });
});

test("no name turns the direction of what follows", async () => {
  expect((await caCertificatesOf(base64(two)))?.certificates[0]?.subject).not.toMatch(/\u202e/);
});

test("nothing and white space count as no bundle", async () => {
  for (const bundle of [null, "", base64(" \n\t")]) expect(await caCertificatesOf(bundle)).toBeNull();
});

test("anything that isn't a certificate is reported, and the rest is read", async () => {
  const broken = "-----BEGIN CERTIFICATE-----\nbm8gY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----";
  expect(await caCertificatesOf(base64(`${broken}\n${one}`))).toMatchObject({
    certificates: [{ subject: "CN=one" }],
    problem: "1 of 2 certificates is broken",
  });
  for (const odd of ["no PEM", "-----BEGIN CERTIFICATE-----", `${broken}${broken}`, one.slice(0, 200), "-----BEGIN PRIVATE KEY-----\n\0"]) {
    expect(await caCertificatesOf(base64(odd))).toMatchObject({ certificates: [], problem: expect.any(String) });
  }
  expect(await caCertificatesOf("not base64 at all! \u{1f600}")).toMatchObject({ certificates: [], problem: expect.any(String) });
});

// Without nextTurn (read-conversion.ts, caCertificates) a bundle of a megabyte is read in one turn of a fifth of a second.
test("each certificate of a bundle has its turn", async () => {
  const nextTurn = vi.fn(async () => {});
  await caCertificates(base64(`${one}\n`.repeat(20)), nextTurn);
  expect(nextTurn).toHaveBeenCalledTimes(20);
});

test("a bundle of hundreds is read up to two hundred, and says so", async () => {
  const { certificates = [], problem } = (await caCertificatesOf(base64(`${one}\n`.repeat(201)))) ?? {};
  expect(certificates).toHaveLength(200);
  expect(problem).toContain("only the first 200 of 201");
});
