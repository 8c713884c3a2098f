import { expect, test } from "vitest";
import { isSameCluster } from "./is-same-cluster.ts";

const cluster = { name: "a", server: "https://a:6443", skipTLSVerify: false };
const [one, other] = ["one", "other"].map((text) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`);

// Without isVerified (is-same-cluster.ts) a context that no longer checks who answers sends its token to whoever has the address.
test.each([
  [true, {}, {}],
  [true, { ca: one }, { ca: `${other}\n${one}` }],
  [false, { ca: one }, { ca: other }],
  [false, { ca: one }, {}],
  [false, {}, { rejectUnauthorized: false }],
])("it is %j that %j and %j are the same cluster", (expected, before, now) => {
  expect(isSameCluster({ cluster, tls: before }, { cluster, tls: now })).toBe(expected);
});
