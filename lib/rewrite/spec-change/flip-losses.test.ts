import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { acceptsFlip } from "#lib/domain/versions/storage-flip.ts";
import { flipLosses } from "./flip-losses.ts";

/** Two objects at v1, of which one can't be read, and the other has fields that v1beta1 lacks. */
async function serverOf(name: string) {
  const lost = { fields: [] as string[] };
  const connection = await connectionTo(name, ({ url = "" }, response) => {
    const [, version] = /\/example\.com\/(v\w+)\/namespaces\/default\/crontabs\/my-tab/.exec(url) ?? [];
    const metadata = { name: "my-tab", namespace: "default", uid: "1", resourceVersion: "1" };
    if (url.includes("/apiservices/")) {
      response.end(JSON.stringify({ metadata: { ...metadata, creationTimestamp: "2026-01-02T12:00:00Z" }, spec: {} }));
    } else if (version) {
      const spec = version === "v1" ? Object.fromEntries(lost.fields.map((field) => [field, 1])) : {};
      response.end(JSON.stringify({ apiVersion: `example.com/${version}`, metadata, spec }));
    } else if (url.includes("/unreadable")) {
      response.statusCode = 422;
      response.end(JSON.stringify({ kind: "Status", status: "Failure", reason: "Invalid", message: "no" }));
    } else {
      response.end(
        JSON.stringify({ metadata: { resourceVersion: "1" }, items: [{ metadata }, { metadata: { ...metadata, name: "unreadable" } }] }),
      );
    }
  });
  return { connection, lost };
}

// Each check added what it found, and a forgotten loss that isn't counted would let a list of paths accept the flip.
test("what checks found is remembered up to a hundred paths, and the others are counted: no list of paths accepts them", async () => {
  const { connection, lost } = await serverOf("growing losses");
  const check = async (fields: string[]) => {
    lost.fields = fields;
    return flipLosses(connection, sampleCrd(), "v1beta1", AbortSignal.timeout(60_000));
  };
  const fields = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index}`);
  expect(await check(fields("a", 150))).toMatchObject({ checked: 2, moreLosses: 50, unknownBecause: expect.stringContaining("unknown") });
  expect(await check(fields("b", 80))).toMatchObject({ losses: { length: 100 }, moreLosses: 130 });
  expect(await check(fields("c", 80))).toMatchObject({ losses: { length: 100 }, moreLosses: 210 });
  const last = await check(["d0"]);
  expect(last.losses[0]?.path).toBe("spec.d0");
  expect(last).toMatchObject({ losses: { length: 100 }, moreLosses: 211 });
  expect(
    acceptsFlip(
      { ...last, unknownBecause: null },
      last.losses.map(({ path }) => path),
    ),
  ).toBe(false);
});

test("where reading objects would show nothing, the cluster isn't asked who answers for them either", async () => {
  const seen: string[] = [];
  const connection = await connectionTo("blind flip", ({ url = "" }, response) => {
    seen.push(url);
    response.end("{}");
  });
  const converted = sampleCrd({ conversion: { strategy: "Webhook", target: "x" } });
  const blind = [
    flipLosses(connection, converted, "v1beta1", AbortSignal.timeout(60_000)),
    flipLosses(connection, sampleCrd(), "v1", AbortSignal.timeout(60_000)),
  ];
  for (const flip of await Promise.all(blind)) expect(flip).toMatchObject({ total: null, checked: 0, unknownBecause: expect.any(String) });
  expect(seen).toEqual([]);
});
