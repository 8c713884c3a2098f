import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { exactText, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { droppedConversionOf, droppedConversionSpecOf, droppedConversionText } from "./conversion-from-json.ts";

const dropped = { droppedAt: "2026-01-02T12:00:00.000Z", by: "alice" };
const json =
  '{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"namespace":"ops","name":"hook","port":8443,"path":"/convert"}},"conversionReviewVersions":["v1"]}}';
const packed = (text: string) => gzipSync(text).toString("base64");

test("a conversion is kept exactly, and described from its own content", () => {
  const text = droppedConversionText(dropped, parseExactJson(json)) ?? undefined;
  expect(droppedConversionOf(text)).toEqual({ ...dropped, target: "ops/hook:8443/convert" });
  expect(exactText(droppedConversionSpecOf(text) ?? {})).toBe(exactText(parseExactJson(json)));
});

test("an annotation's own words are not believed", () => {
  const forged = JSON.stringify({ ...dropped, target: "https://example.com/nice", gzip: packed(json) });
  expect(droppedConversionOf(forged)?.target).toBe("ops/hook:8443/convert");
});

test("nothing that turns the direction of text comes along", () => {
  const turned = JSON.stringify({
    ...dropped,
    gzip: packed('{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://a\u202eb"}}}'),
  });
  expect(droppedConversionOf(turned)?.target).toBe("https://a\uFFFDb");
});

// Half a kilobyte unpacks to 250 KB, which every fleet kept of each definition.
test("an address of 250,000 characters is shown cut, and given back whole", () => {
  const long = JSON.stringify({ strategy: "Webhook", webhook: { clientConfig: { url: `https://${"a".repeat(250_000)}` } } });
  const annotation = JSON.stringify({ ...dropped, gzip: packed(long) });
  expect(annotation.length).toBeLessThan(1_000);
  expect(droppedConversionOf(annotation)?.target).toBe(`https://${"a".repeat(2_040)}…`);
  expect(exactText(droppedConversionSpecOf(annotation) ?? {})).toBe(exactText(parseExactJson(long)));
});

test.each([
  ["nothing", undefined],
  ["no JSON", "{"],
  ["no webhook", JSON.stringify({ ...dropped, target: "https://example.com", gzip: packed('{"strategy":"None"}') })],
  ["no conversion", JSON.stringify({ ...dropped, target: "https://example.com", gzip: packed("[]") })],
  ["a bomb", JSON.stringify({ ...dropped, gzip: packed(json + " ".repeat(257 * 1024)) })],
])("%s counts as none", (_, annotation) => {
  expect(droppedConversionOf(annotation)).toBeNull();
  expect(droppedConversionSpecOf(annotation)).toBeNull();
});

test("what would not be given back is not kept", () => {
  const conversion = { strategy: "Webhook", webhook: { clientConfig: { url: "https://a", caBundle: "A".repeat(257 * 1024) } } };
  expect(droppedConversionText(dropped, conversion)).toBeNull();
});
