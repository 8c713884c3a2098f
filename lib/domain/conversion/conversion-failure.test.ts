import { describe, expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { conversionAdvice, conversionFailureIn, lostVersionIn } from "./conversion-failure.ts";

const failed = (because: string) => `conversion webhook for example.com/v1beta1, Kind=Widget failed: ${because}`;
const refused = failed('Post "https://10.0.0.1:443/": dial tcp 10.0.0.1:443: connect: connection refused');

describe("a text says that objects can't be converted", () => {
  test.each([
    ["on its own", refused, refused],
    ["after crdshift's own words", `Paused manually. Objects can't be converted: ${refused}`, refused],
    ["in a list's 429", `The server says: storage is (re)initializing: ${refused}`, `storage is (re)initializing: ${refused}`],
    [
      "about an answer of the wrong kind",
      "conversion for example.com/v1, Kind=Widget returned nothing",
      "conversion for example.com/v1, Kind=Widget returned nothing",
    ],
  ])("%s", (_, text, message) => expect(conversionFailureIn(text)).toBe(message));

  test.each([
    null,
    "",
    'admission webhook "bank.example.com" denied the request: currency conversion for EUR is unavailable',
    `Paused manually. widgets.example.com "one" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${refused}`,
    "The API server asked crdshift to slow down: too many requests",
  ])("but not %j", (text) => {
    expect(conversionFailureIn(text)).toBeNull();
    expect(conversionAdvice(text)).toBeNull();
  });
});

// With a backtracking pattern it takes seconds.
test("a long text holds nobody up", async () => {
  const { longest, result } = await whileWatched(async () => conversionFailureIn("storage is (re)initializing ".repeat(40_000)));
  expect(result).toBeNull();
  expect(longest).toBeLessThan(LONGEST_TURN);
});

test.each([
  [refused, /^Start the webhook's server/],
  [failed('Post "https://x.y.svc:443/convert?timeout=30s": service "secret-rotation-webhook" not found'), /^Create the Service secret-rot/],
  [failed('Post "https://x.y.svc": no endpoints available for service "hook"'), /pods: the Service hook has no endpoints\.$/],
  [failed('Post "https://x": tls: failed to verify certificate: x509: certificate signed by unknown authority'), /caBundle to the CA/],
  [failed('Post "https://x": x509: certificate has expired or is not yet valid: current time …'), /a certificate that is valid now/],
  [failed('Post "https://x": context deadline exceeded'), /doesn't answer in time/],
  [failed("the schedule can't be parsed"), /^Check the webhook's log/],
])("%s has its fix", (message, fix) => expect(conversionAdvice(message)).toMatch(fix));

test.each([
  [
    "StorageError: corrupt object, Code: 7, Key: /registry/example.com/widgets/default/a, ResourceVersion: 0, AdditionalErrorMsg: object not " +
      "decodable revision=215: request to convert CR from an invalid group/version: example.com/v1beta1",
    "v1beta1",
  ],
  [refused, null],
  // A webhook's own words, of which it could choose another each time.
  [failed("request to convert CR from an invalid group/version: example.com/v1beta1"), null],
  [`request to convert CR from an invalid group/version: example.com/${"v".repeat(64)}`, null],
  [null, null],
])("the version that the spec has lost is in the answer: %s", (text, version) => expect(lostVersionIn(text)).toBe(version));
