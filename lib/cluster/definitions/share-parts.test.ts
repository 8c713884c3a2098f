import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { collectGarbage } from "#lib/process-wide/testing/collect-garbage.ts";
import { shareParts } from "./share-parts.ts";

const cluster = { server: "https://shared.example.com", proxy: undefined, tlsServerName: undefined };
const read = (uid: string, changes: Parameters<typeof sampleCrd>[0] = {}) =>
  shareParts(cluster, structuredClone(sampleCrd({ ...changes, uid })));

test("two readers of one definition keep its parts once", () => {
  const uid = randomUUID();
  const [one, other] = [read(uid), read(uid)];
  expect(other).toEqual(one);
  expect(other.versions).toBe(one.versions);
  expect(other.conditions).toBe(one.conditions);
});

test("a reader gets what was read, although another has read something else", () => {
  const uid = randomUUID();
  const one = read(uid);
  const versions = one.versions.map((version) => ({ ...version, deprecated: true }));
  const other = read(uid, { versions });
  expect(other.versions).toEqual(versions);
  expect(other.conditions).toBe(one.conditions);
  expect(read(uid).versions).toEqual(one.versions);
});

test("definitions of one uid in two clusters share nothing", () => {
  const uid = randomUUID();
  const one = read(uid);
  const other = shareParts({ ...cluster, server: "https://other.example.com" }, structuredClone(one));
  expect(other).toEqual(one);
  expect(other.versions).not.toBe(one.versions);
});

test("nothing is kept of a definition that nobody holds any more", async () => {
  const uid = randomUUID();
  read(uid);
  const { newest } = processWide<{ newest: Map<string, unknown> }>("shared-parts", () => expect.unreachable());
  const isKnown = () => [...newest.keys()].some((key) => key.startsWith(uid));
  expect(isKnown()).toBe(true);
  await expect
    .poll(() => {
      collectGarbage();
      return isKnown();
    })
    .toBe(false);
});
