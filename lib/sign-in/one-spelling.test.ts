import { expect, test, vi } from "vitest";
import { authenticate } from "./authenticate.ts";
import { hasOneSpelling } from "./one-spelling.ts";
import { signIn } from "./sign-in.ts";

const part = (text: string) => Buffer.from(text).toString("base64url");
/** 256 bytes, as RS256 signs: their last character encodes two bits, and four that mean nothing. */
const SIGNATURE = Buffer.alloc(256, 7).toString("base64url");
const JWT = [part('{"alg":"RS256"}'), part('{"sub":"mallory"}'), SIGNATURE].join(".");
const [header, payload] = [part('{"alg":"RS256"} '), part('{"sub":"x"}')];
/** Its last character, with another of the bits that mean nothing. */
const respelled = (text: string) => `${text.slice(0, -1)}${String.fromCharCode(text.charCodeAt(text.length - 1) + 1)}`;

test.each([
  ["a JWT", JWT, true],
  ["its signature in another spelling", respelled(JWT), false],
  ["its signature, padded", `${JWT}==`, false],
  ["its payload in another spelling", `${header}.${respelled(payload)}.${SIGNATURE}`, false],
  ["its header in another spelling", `${respelled(header)}.${payload}.${SIGNATURE}`, false],
  ["a token of another kind", "sha256~abcdefghijklm", true],
  ["a token of another kind, with three parts", "kubeconfig.user-x.abcdef", true],
  ["a token of another kind, padded", "c2VjcmV0Cg==", true],
])("%s", (_, token, expected) => {
  expect(hasOneSpelling(token)).toBe(expected);
});

// Without hasOneSpelling, the API server accepts 16 texts of one token, each with a cache, a watch and a place of its own.
test("a token in another spelling signs nobody in, neither as a header nor at the sign-in", async () => {
  vi.stubEnv("CRDSHIFT_MODE", "token");
  const asks = (token: string) => new Request("http://localhost/api/clusters", { headers: { authorization: `Bearer ${token}` } });
  expect(authenticate(asks(JWT))).toEqual({ kind: "bearer", token: JWT });
  const refused = { code: "unauthenticated", details: { signIn: true }, nextStep: expect.stringContaining("unchanged") };
  expect(() => authenticate(asks(respelled(JWT)))).toThrow(expect.objectContaining(refused));
  await expect(signIn({ token: respelled(JWT) }, AbortSignal.timeout(5_000))).rejects.toMatchObject(refused);
  vi.unstubAllEnvs();
});
