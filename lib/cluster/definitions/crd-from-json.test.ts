import { describe, expect, test } from "vitest";
import { RECORD_ANNOTATION } from "#lib/domain/record/record-room.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { sampleCrd, sampleDryRunRecord, sampleProof, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { crdFromJson as crdFrom } from "./crd-from-json.ts";
import { hasOurSignature, signed } from "./evidence/evidence-signature.ts";

const crdFromJson = (json: unknown) => crdFrom({ server: "https://here:6443" }, json);

const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
const json = (metadata: object = {}, spec: object = {}, status: unknown = { storedVersions: ["v1"], conditions: [] }) => ({
  metadata: { name: "crontabs.example.com", uid: "u", generation: 2, resourceVersion: "7", ...metadata },
  spec: { group: "example.com", scope: "Cluster", names: { kind: "CronTab", plural: "crontabs" }, versions: [version], ...spec },
  status,
});

test("keeps what the rules decide on, and not the schemas", () => {
  const crd = crdFromJson(json());
  expect(crd).toMatchObject({ name: "crontabs.example.com", group: "example.com", scope: "Cluster", storedVersions: ["v1"], record: null });
  expect(JSON.stringify(crd)).not.toContain("openAPIV3Schema");
});

test.each<[string, unknown]>([
  ["no status", json({}, {}, undefined)],
  ["a null status", json({}, {}, null)],
  ["null lists", json({ managedFields: null, annotations: null, labels: null }, {}, { storedVersions: null, conditions: null })],
  ["conditions without words", json({}, {}, { storedVersions: ["v1"], conditions: [{ type: "Established", status: "True" }] })],
  ["a conversion that is null", json({}, { conversion: null })],
  ["a webhook without a client", json({}, { conversion: { strategy: "Webhook", webhook: {} } })],
])("one odd definition does not take the fleet down: %s", (_, odd) => {
  expect(crdFromJson(odd)).toMatchObject({ name: "crontabs.example.com" });
});

test("of stored versions that anyone listed, every one of the spec is kept, and of mistakes only the first", () => {
  const listed = ["v9", "v1", ...Array.from({ length: 100_000 }, (_, index) => `v${index}`), "x".repeat(1_000_000)];
  const { storedVersions } = crdFromJson(json({}, { versions: [version, { ...version, name: "v99999" }] }, { storedVersions: listed }));
  expect(storedVersions).toHaveLength(102);
  expect([storedVersions.slice(0, 3), storedVersions.at(-1)]).toEqual([["v9", "v1", "v0"], "v99999"]);
  const [long] = crdFromJson(json({}, {}, { storedVersions: ["x".repeat(1_000_000)] })).storedVersions;
  expect(long).toBe(`${"x".repeat(63)}…`);
});

// A schema for each took longer than parsing them: together with that, over half a second in one turn, with each change of the definition.
test.each<[string, object, object?]>([
  ["labels", { labels: Object.fromEntries(Array.from({ length: 160_000 }, (_, index) => [`a${index}`, ""])) }],
  [
    "fields of a manager",
    { managedFields: [{ fieldsV1: Object.fromEntries(Array.from({ length: 130_000 }, (_, index) => [`f:${index}`, {}])) }] },
  ],
  ["conditions", {}, { conditions: Array.from({ length: 32_000 }, () => ({ type: "", status: "", lastTransitionTime: null })) }],
])("a megabyte of %s is not read one by one", { retry: 2 }, async (_, metadata, status) => {
  const odd = json(metadata, {}, status);
  const { longest, result } = await whileWatched(async () => crdFromJson(odd));
  expect(longest).toBeLessThan(LONGEST_TURN / 2);
  expect(result.conditions.length).toBeLessThanOrEqual(1_000);
});

test.each([
  ["labels", { labels: { "app.kubernetes.io/managed-by": 1 } }],
  ["annotations", { annotations: ["x"] }],
  ["one annotation", { annotations: { "meta.helm.sh/release-name": "x", other: 1 } }],
  ["fields of a manager", { managedFields: [{ manager: "a", time: "2026-01-02T12:00:00Z", fieldsV1: "f:spec" }] }],
])("%s of another kind count as none", (_, metadata) => {
  expect(crdFromJson(json(metadata))).toMatchObject({ owner: null, specChangedAt: null, record: null, otherAnnotations: { bytes: 0 } });
});

// Copied, listed and checked one after the other, a megabyte of annotations took 150 ms.
test("annotations and labels are gone over once", () => {
  let passes = 0;
  const watched = new Proxy(
    { note: "x" },
    {
      ownKeys(target) {
        passes += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  expect(crdFromJson(json({ annotations: watched })).otherAnnotations.bytes).toBe(5);
  expect(passes).toBe(1);
  expect(crdFromJson(json({ labels: watched })).owner).toBeNull();
  expect(passes).toBe(2);
});

describe("names", () => {
  const names = {
    kind: "CronTab",
    plural: "crontabs",
    singular: "crontab",
    listKind: "CronTabList",
    shortNames: ["ct"],
    categories: ["all"],
  };
  const { kind, plural, ...beside } = names;

  test("are read, and the accepted ones are included only if they differ", () => {
    const accepted = { ...names, categories: ["other"] };
    expect(crdFromJson(json({}, { names }, { acceptedNames: accepted }))).toMatchObject({
      kind,
      plural,
      names: beside,
      acceptedNames: null,
    });
    const other = { ...accepted, shortNames: ["cr"] };
    const { categories: _, ...held } = other;
    expect(crdFromJson(json({}, { names }, { acceptedNames: other })).acceptedNames).toEqual(held);
  });

  test.each([undefined, null, {}, { acceptedNames: null }])("are not accepted while the status is %j", (status) => {
    const none = { plural: "", singular: "", kind: "", listKind: "", shortNames: [] };
    expect(crdFromJson(json({}, { names }, status)).acceptedNames).toEqual(none);
  });
});

test("subresources are a version's own, scale without status too", () => {
  const paths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const versions = [
    { ...version, subresources: { status: {}, scale: { ...paths, labelSelectorPath: ".status.selector" } } },
    { ...version, name: "v2", subresources: { scale: paths } },
    { ...version, name: "v3", subresources: { status: {} } },
    { ...version, name: "v4" },
  ];
  expect(crdFromJson(json({}, { versions })).versions.map(({ hasStatus, scale }) => [hasStatus, scale])).toEqual([
    [true, { ...paths, labelSelectorPath: ".status.selector" }],
    [false, { ...paths, labelSelectorPath: null }],
    [true, null],
    [false, null],
  ]);
});

test("finalizers of the definition are kept", () => {
  expect(crdFromJson(json({ finalizers: ["example.com/a"] })).finalizers).toEqual(["example.com/a"]);
  expect(crdFromJson(json()).finalizers).toEqual([]);
});

test("an empty custom warning is a custom warning, an absent one is none", () => {
  const warnings = (deprecationWarning?: string) => crdFromJson(json({}, { versions: [{ ...version, deprecationWarning }] })).versions[0];
  expect(warnings("")?.customWarning).toBe("");
  expect(warnings()?.customWarning).toBeNull();
});

test("a warning and a condition turn no text", () => {
  const conditions = [{ type: "NamesAccepted", status: "True", reason: "x", message: "\u2066no" }];
  const crd = crdFromJson(
    json({}, { versions: [{ ...version, deprecationWarning: "\u202euse v2" }] }, { storedVersions: ["v1"], conditions }),
  );
  expect(crd.versions[0]?.customWarning).toBe("\uFFFDuse v2");
  expect(crd.conditions[0]?.message).toBe("\uFFFDno");
});

test.each([
  [{ strategy: "None" }, { strategy: "None" }],
  [
    { strategy: "Webhook", webhook: { clientConfig: { url: "https://x/convert" } } },
    { strategy: "Webhook", target: "https://x/convert" },
  ],
  [
    { strategy: "Webhook", webhook: { clientConfig: { service: { namespace: "ns", name: "hook", path: "/convert", port: 8443 } } } },
    { strategy: "Webhook", target: "ns/hook:8443/convert" },
  ],
  [
    { strategy: "Webhook", webhook: { clientConfig: { service: { namespace: "ns", name: "hook" } } } },
    { strategy: "Webhook", target: "ns/hook:443" },
  ],
])("the conversion %j is %j", (conversion, expected) => {
  expect(crdFromJson(json({}, { conversion })).conversion).toEqual(expected);
});

describe("the time of the last change of the spec", () => {
  const entry = (time: string, fieldsV1: object, subresource?: string) => ({ time, fieldsV1, ...(subresource && { subresource }) });
  const changedAt = (...managedFields: object[]) => crdFromJson(json({ managedFields })).specChangedAt;

  test("is the newest of those who own a part of the spec", () => {
    expect(
      changedAt(
        entry("2026-01-01T00:00:00Z", { "f:spec": {} }),
        entry("2026-01-03T00:00:00Z", { "f:spec": {} }),
        entry("2026-01-02T00:00:00Z", { "f:spec": {} }),
      ),
    ).toBe("2026-01-03T00:00:00Z");
  });

  test("is not the time of our annotation, nor of the status", () => {
    expect(
      changedAt(
        entry("2026-01-01T00:00:00Z", { "f:spec": {} }),
        entry("2026-01-02T00:00:00Z", { "f:metadata": { "f:annotations": {} } }),
        entry("2026-01-03T00:00:00Z", { "f:status": {}, "f:spec": {} }, "status"),
      ),
    ).toBe("2026-01-01T00:00:00Z");
  });

  test("is unknown without managedFields", () => {
    expect(changedAt()).toBeNull();
    expect(changedAt(entry("", { "f:spec": {} }))).toBeNull();
  });
});

test("the owner is known by labels, annotations, owner references and managers of the spec", () => {
  expect(crdFromJson(json({ labels: { "kustomize.toolkit.fluxcd.io/name": "apps" } })).owner).toBe("Flux (apps)");
  const entry = { manager: "tabs-operator", subresource: "", time: "2026-01-01T00:00:00Z" };
  expect(crdFromJson(json({ managedFields: [{ ...entry, fieldsV1: { "f:spec": {} } }] })).owner).toBe(
    "a controller (manager tabs-operator)",
  );
  expect(crdFromJson(json({ managedFields: [{ ...entry, fieldsV1: { "f:status": {} } }] })).owner).toBeNull();
  expect(crdFromJson(json({ ownerReferences: [{ kind: "Provider", name: "aws", controller: true }] })).owner).toBe("Provider aws");
});

test("the other annotations are measured as the API server does, in bytes of names and values", () => {
  const sizeOf = (annotations?: Record<string, string>) => crdFromJson(json({ annotations })).otherAnnotations;
  expect(sizeOf()).toEqual({ bytes: 0, largest: null });
  expect(sizeOf({ [RECORD_ANNOTATION]: "{}", a: "1", note: "ä" })).toEqual({ bytes: 8, largest: { name: "note", bytes: 6 } });
});

describe("the annotation", () => {
  const recordOf = (text: string) => crdFromJson(json({ annotations: { [RECORD_ANNOTATION]: text } })).record;

  test("is read back as it was written", () => {
    const record = sampleRecord({ holder: "me", proof: sampleProof(sampleCrd()), runs: [sampleRun({ phase: "succeeded" })] });
    expect(recordOf(JSON.stringify(record))).toEqual(record);
  });

  test.each([
    ...["", "{", "null", "{}", '{"proof":true}', JSON.stringify({ ...sampleRecord(), runs: [{ id: "x" }] })],
    JSON.stringify(sampleRecord({ runs: [sampleRun({ startedAt: "garbage" })] })),
  ])("written by someone else is unreadable, not trusted: %s", (text) => {
    expect(recordOf(text)).toBe("unreadable");
  });

  test("of another definition is none, and one that doesn't say counts as this one's", () => {
    const uid = crdFromJson(json({})).uid;
    const read = (of: string | null) => recordOf(JSON.stringify(sampleRecord({ uid: of, holder: "me" })));
    expect([read(uid), read(null), read("another")]).toEqual([sampleRecord({ uid, holder: "me" }), sampleRecord({ holder: "me" }), null]);
    // Whatever a newer crdshift wrote there.
    const newer = { ...sampleRecord({ uid: "another" }), runs: "elsewhere" };
    expect([recordOf(JSON.stringify(newer)), recordOf(JSON.stringify({ ...newer, uid }))]).toEqual([null, "unreadable"]);
  });

  // Without ofDefinition (crd-from-json.ts), the page of the definition to which a record was copied cancels the run of the other one, whose
  // own pages get what the copy says of it.
  test("has no run that names another definition, as a copied record does", () => {
    const [own, copied] = [sampleRun({ id: "own" }), sampleRun({ id: "copied", crd: "victims.example.com" })];
    expect(recordOf(JSON.stringify(sampleRecord({ runs: [copied, own] })))).toEqual(sampleRecord({ runs: [own] }));
  });

  test("is evidence only while crdshift itself was the last to write it, whoever signed it", () => {
    const signature = "signed";
    const proof = sampleProof(sampleCrd(), { signature });
    const unseen = {
      ...{ by: "ada", at: "2026-01-01T00:00:00Z", dryRun: null, losses: [], more: 0, sample: null, unseen: true },
      of: null,
      signature,
    };
    const text = JSON.stringify(sampleRecord({ proof, runs: [sampleRun(), sampleRun({ acceptedLosses: unseen })] }));
    const owned = { "f:metadata": { "f:annotations": { [`f:${RECORD_ANNOTATION}`]: {} } } };
    const signatureAmong = (...managedFields: object[]) => {
      const { record } = crdFromJson(json({ annotations: { [RECORD_ANNOTATION]: text }, managedFields }));
      if (record === "unreadable") return record;
      // Whoever puts an earlier record back gives nobody's consent with it.
      expect(record?.runs[1]?.acceptedLosses).toEqual({ ...unseen, signature: record?.proof?.signature });
      return record?.proof?.signature;
    };
    expect(signatureAmong({ manager: "kubectl", fieldsV1: { "f:spec": {} } }, { manager: "crdshift", fieldsV1: owned })).toBe(signature);
    expect(signatureAmong()).toBeNull();
    expect(signatureAmong({ manager: "kubectl", fieldsV1: owned }, { manager: "crdshift", fieldsV1: { "f:metadata": {} } })).toBeNull();
    expect(signatureAmong({ manager: "crdshift", subresource: "status", fieldsV1: owned })).toBeNull();
  });

  // With each entry's fields parsed first (isWrittenByCrdshift in crd-from-json.ts) those of 15,000 others took 60 ms.
  test("is looked for only among what crdshift itself owns", () => {
    const looked: string[] = [];
    const entryOf = (manager: string, more: object = {}) => {
      const fieldsV1 = {
        get "f:metadata"() {
          looked.push(manager);
          return {};
        },
      };
      return { manager, fieldsV1, ...more };
    };
    const managedFields = [entryOf("kubectl"), entryOf("crdshift", { subresource: "status" }), entryOf("crdshift")];
    crdFromJson(json({ annotations: { [RECORD_ANNOTATION]: JSON.stringify(sampleRecord()) }, managedFields }));
    expect(looked).toEqual(["crdshift"]);
  });

  test("turns no text, whether what would do so stands in it as it is or escaped", () => {
    const text = JSON.stringify(sampleRecord({ runs: [sampleRun({ startedBy: "\u202ealice" })] }));
    const clean = sampleRecord({ runs: [sampleRun({ startedBy: "\uFFFDalice" })] });
    expect(recordOf(text)).toEqual(clean);
    expect(recordOf(text.replace("\u202e", "\\u202E"))).toEqual(clean);
    const escaped = sampleRecord({ runs: [sampleRun({ startedBy: "C:\\u202e" })] });
    expect(recordOf(JSON.stringify(escaped))).toEqual(escaped);
  });

  // Without plainText (evidence-signature.ts) both are another installation's as soon as they are read back.
  test("evidence stays this installation's although it names a person whose name turns the text", () => {
    const by = "\u200eadmin\u200f";
    const loss = { kind: "dropped" as const, path: "spec.a", objects: 1 };
    const accepted = {
      ...{ by, at: "2026-01-01T00:00:00Z", dryRun: null, losses: [loss], more: 0, sample: null, unseen: false, of: null, signature: null },
    };
    const proof = signed(sampleProof(crdFromJson(json()), { acceptedLosses: accepted }));
    const dryRun = signed(sampleDryRunRecord(crdFromJson(json()), { losses: [{ ...loss, path: "spec.\u200fa", examples: [] }] }));
    const managedFields = [{ manager: "crdshift", fieldsV1: { "f:metadata": { "f:annotations": { [`f:${RECORD_ANNOTATION}`]: {} } } } }];
    const read = (record: object) => crdFromJson(json({ annotations: { [RECORD_ANNOTATION]: JSON.stringify(record) }, managedFields }));
    expect(read(sampleRecord({ proof })).claims.proof).toBe(false);
    expect(hasOurSignature(readableRecord(read(sampleRecord({ dryRun })))?.dryRun ?? null)).toBe(true);
    const other = { ...proof, acceptedLosses: { ...accepted, by: "admin" } };
    expect(read(sampleRecord({ proof: other })).claims.proof).toBe(true);
  });
});
