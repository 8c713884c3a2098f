import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { dropRefusal } from "#lib/domain/definition/stored-versions.ts";
import { RECORD_ANNOTATION } from "#lib/domain/record/record-room.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { crdIdentity } from "#lib/domain/rewrite/identity.ts";
import { sampleDryRunRecord, sampleProof, sampleRecord, sampleRun, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { createDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { listCrds, readCrd, readExactCrd, writeRecord, writeStoredVersions } from "./crds.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const { api, connection } = openWorkerCluster();
const soon = () => AbortSignal.timeout(30_000);

async function definitionWith(...versions: SampleVersion[]) {
  const definition = await createDefinition(api, versions.length ? versions : [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  onTestFinished(() => definition.remove());
  return definition;
}

test("all definitions are listed, over more than one page", async () => {
  const made = await Promise.all(Array.from({ length: 60 }, () => definitionWith()));
  const pages = await Array.fromAsync(listCrds(await connection(), soon()));
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flatMap(({ crds }) => crds.map(({ name }) => name))).toEqual(expect.arrayContaining(made.map(({ name }) => name)));
});

test.each([readCrd, readExactCrd])("%o reports a definition that doesn't exist", async (read) => {
  const error = { code: "not_found", message: "There is no definition nothings.example.com in a." };
  await expect(read(await connection(), "nothings.example.com", soon())).rejects.toMatchObject(error);
});

describe("the record in the annotation", () => {
  test("is written without a change of generation or of the time of the last change of the spec", async () => {
    const definition = await definitionWith();
    const on = await connection();
    const { crd } = await readCrd(on, definition.name, soon());
    const record = sampleRecord({ holder: "me", runs: [sampleRun({ crd: crd.name })] });
    const written = await writeRecord(on, crd, record, soon());
    expect(written).toMatchObject({ record, generation: crd.generation, specChangedAt: crd.specChangedAt, uid: crd.uid });
    expect(crd.specChangedAt).not.toBeNull();
  });

  test("closes no watch on the objects", async () => {
    const definition = await definitionWith();
    const on = await connection();
    const watch = await fetchStream(on, `${definition.path("v1")}?watch=1`);
    const { crd } = await readCrd(on, definition.name, soon());
    await writeRecord(on, crd, sampleRecord({ holder: "me" }), soon());
    await definition.createObjects("v1", 1);
    expect(String((await watch.next()).value)).toContain('"type":"ADDED"');
  });

  test("is refused as a conflict when anything changed since the definition was read", async () => {
    const definition = await definitionWith();
    const on = await connection();
    const { crd } = await readCrd(on, definition.name, soon());
    await api.mergePatch(`${definitions}/${definition.name}`, { metadata: { labels: { changed: "yes" } } });
    await expect(writeRecord(on, crd, sampleRecord({ holder: "me" }), soon())).rejects.toMatchObject({ code: "conflict" });
    expect((await definition.read()).metadata.annotations ?? {}).not.toHaveProperty(RECORD_ANNOTATION);
  });

  test("fits in 16 KiB by forgetting old runs and rejections, never the proof or the settle point", async () => {
    const definition = await definitionWith();
    const on = await connection();
    const { crd } = await readCrd(on, definition.name, soon());
    const rejections = Array.from({ length: 20 }, (_, index) => ({
      reason: "Forbidden",
      message: `${index} ${"x".repeat(990)}`,
      count: 1,
      examples: [{ namespace: "default", name: "x" }],
    }));
    const paths = Array.from({ length: 12 }, (_, index) => ({ kind: "dropped" as const, path: `${index}${"p".repeat(299)}`, objects: 1 }));
    const acceptedLosses = {
      by: "ada",
      at: new Date().toISOString(),
      dryRun: "p",
      losses: paths,
      more: 0,
      sample: null,
      unseen: false,
      of: crdIdentity(crd),
      signature: null,
    };
    const values = { version: null, before: null, after: null };
    const examples = Array.from({ length: 2 }, () => ({ namespace: "n".repeat(63), name: "x".repeat(253), ...values }));
    const dryRun = sampleDryRunRecord(crd, { losses: paths.map((loss) => ({ ...loss, examples })) });
    const runs = Array.from({ length: 5 }, (_, index) =>
      sampleRun({ id: `run-${index}`, crd: crd.name, phase: "unproven", rejections, acceptedLosses }),
    );
    const record = sampleRecord({ proof: sampleProof(crd, { acceptedLosses }), settlePoint: sampleSettlePoint(crd), dryRun, runs });
    const written = await writeRecord(on, crd, record, soon());
    const text = (await definition.read()).metadata.annotations?.[RECORD_ANNOTATION] ?? "";
    expect(text.length).toBeLessThanOrEqual(16 * 1024);
    expect(written.record).toMatchObject({ proof: record.proof, settlePoint: record.settlePoint });
    expect(written.record).toHaveProperty("runs.0.id", "run-0");
    // However many paths fit, that there are more is never forgotten.
    const kept = readableRecord(written)?.dryRun;
    expect((kept?.losses.length ?? 0) + (kept?.moreLosses ?? 0)).toBe(12);
    expect(kept?.losses.length).toBeGreaterThan(0);
  });
});

describe("status.storedVersions", () => {
  test("is written through /status, with nothing else touched", async () => {
    const definition = await definitionWith();
    const on = await connection();
    const { crd } = await readCrd(on, definition.name, soon());
    const written = await writeStoredVersions(on, crd, ["v1", "v1beta1"], soon());
    expect(written).toMatchObject({ storedVersions: ["v1", "v1beta1"], generation: crd.generation, versions: crd.versions });
    expect((await definition.read()).status.storedVersions).toEqual(["v1", "v1beta1"]);
  });

  test("is left alone when anything changed since the definition was read", async () => {
    const definition = await definitionWith();
    const on = await connection();
    const { crd } = await readCrd(on, definition.name, soon());
    await api.mergePatch(`${definitions}/${definition.name}`, { metadata: { labels: { changed: "yes" } } });
    await expect(writeStoredVersions(on, crd, ["v1", "v1beta1"], soon())).rejects.toMatchObject({ code: "conflict" });
    expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
  });
});

test("the API server's words on dropping a version that is still listed are the ones that we show before", async () => {
  const definition = await definitionWith({ name: "v1" }, { name: "v1beta1", storage: true });
  await definition.setVersions([{ name: "v1", storage: true }, { name: "v1beta1" }]);
  await expect.poll(async () => (await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  await expect(definition.setVersions([{ name: "v1", storage: true }])).rejects.toThrow(dropRefusal("v1beta1", 0));
});

async function get(on: Connection, path: string) {
  return request(`${on.server}${path}`, { dispatcher: on.dispatcher, headers: await on.authHeaders(), signal: soon() });
}

async function fetchStream(on: Connection, path: string) {
  const { body } = await get(on, path);
  onTestFinished(() => void body.on("error", () => {}).destroy());
  return body[Symbol.asyncIterator]();
}
