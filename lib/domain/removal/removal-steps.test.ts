import { describe, expect, test } from "vitest";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { provenCrd, sampleCrd, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { dropConversionRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { currentRemovalStep, removalProgress, removalSteps } from "./removal-steps.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const v1 = sampleVersion("v1", { storage: true });
const v1beta1 = sampleVersion("v1beta1");
const webhook = { strategy: "Webhook", target: "https://127.0.0.1:9443/convert" } as const;
const listed = ["v1beta1", "v1"];

const standings = (crd: ReturnType<typeof sampleCrd>, name = "v1beta1") =>
  removalSteps(crd, name, now).map(({ state, action, solvedBy }) => [state, action, solvedBy].filter((one) => one !== null).join(" "));

describe("the path of a version", () => {
  test("from its first look to its end, as a person goes it", () => {
    const first = sampleCrd({ versions: [v1, v1beta1], storedVersions: listed, conversion: webhook });
    expect(standings(first)).toEqual(["ready deprecate", "ready unserve", "ready rewrite", "refused remove serving", "refused drop spec"]);

    const deprecated = { ...first, versions: [v1, { ...v1beta1, deprecated: true }] };
    expect(standings(deprecated)).toEqual(["done", "ready unserve", "ready rewrite", "refused remove serving", "refused drop spec"]);

    const unserved = { ...first, versions: [v1, { ...v1beta1, served: false }] };
    expect(standings(unserved)).toEqual(["done", "done", "ready rewrite", "refused remove storage", "refused drop spec"]);

    const proven = provenCrd(unserved);
    expect(standings(proven)).toEqual(["done", "done", "ready prune", "refused remove storage", "refused drop spec"]);

    const pruned = { ...proven, storedVersions: ["v1"] };
    expect(standings(pruned)).toEqual(["done", "done", "done", "ready remove", "refused drop spec"]);

    const removed = { ...pruned, versions: [v1] };
    expect(standings(removed)).toEqual(["done", "done", "done", "done", "ready drop"]);

    const droppedConversion = { target: webhook.target, droppedAt: "2026-01-02T12:00:00.000Z", by: null };
    const dropped = { ...removed, conversion: { strategy: "None" } as const, droppedConversion };
    expect(standings(dropped)).toEqual(["done", "done", "done", "done", "done"]);
    expect(currentRemovalStep(removalSteps(dropped, "v1beta1", now))).toBeNull();
  });

  test("never has fewer steps done as it proceeds, also where a prune leads back to serving", () => {
    const progress = (crd: ReturnType<typeof sampleCrd>) => removalProgress(removalSteps(crd, "v1beta1", now));
    const first = sampleCrd({ versions: [v1, v1beta1], storedVersions: listed });
    const deprecated = { ...first, versions: [v1, { ...v1beta1, deprecated: true }] };
    const pruned = { ...deprecated, storedVersions: ["v1"] };
    expect([first, deprecated, pruned].map(progress)).toEqual([
      { done: 0, of: 4 },
      { done: 1, of: 4 },
      { done: 2, of: 4 },
    ]);
  });

  test("looks at what is stored before serving, and at a run wherever it is", () => {
    const current = (crd: ReturnType<typeof sampleCrd>) => currentRemovalStep(removalSteps(crd, "v1beta1", now));
    const deprecated = { ...v1beta1, deprecated: true };
    expect(current(sampleCrd({ versions: [v1, v1beta1], storedVersions: listed }))).toBe("clients");
    expect(current(sampleCrd({ versions: [v1, deprecated], storedVersions: listed }))).toBe("storage");
    expect(current(sampleCrd({ versions: [v1, deprecated], storedVersions: ["v1"] }))).toBe("serving");
    const record = sampleRecord({ runs: [sampleRun()] });
    expect(current(sampleCrd({ versions: [v1, v1beta1], storedVersions: listed, record }))).toBe("storage");
  });

  test("does not lead back past a webhook that was dropped", () => {
    const droppedConversion = { target: webhook.target, droppedAt: "2026-01-02T12:00:00.000Z", by: null };
    const dropped = sampleCrd({ versions: [v1], storedVersions: ["v1"], droppedConversion });
    const undo = (crd: ReturnType<typeof sampleCrd>) =>
      removalSteps(crd, "v1beta1", now).map(({ undoRefusal }) => undoRefusal?.nextStep ?? null);
    const first =
      "Put the webhook back first. If the schemas have the same fields, discard it instead: " +
      "kubectl annotate customresourcedefinition crontabs.example.com crdshift.dev/dropped-conversion-";
    expect(undo(dropped)).toEqual([null, null, null, first, null]);
    const back = { ...dropped, versions: [v1, { ...v1beta1, served: false }] };
    expect(undo(back)).toEqual([null, first, null, null, null]);
    expect(undo({ ...back, conversion: webhook })).toEqual([null, null, null, null, null]);
  });

  test("of the storage version begins with another one", () => {
    const crd = sampleCrd({
      versions: [
        { ...v1, storage: false },
        { ...v1beta1, storage: true },
      ],
      storedVersions: ["v1beta1"],
    });
    expect(standings(crd)).toEqual(["ready deprecate", "refused unserve storage", "ready flip", "refused remove storage", "unneeded"]);
    const alone = sampleCrd({ versions: [{ ...v1beta1, storage: true }], storedVersions: ["v1beta1"] });
    expect(removalSteps(alone, "v1beta1", now)[2]?.refusal?.nextStep).toBe("Serve another version.");
  });

  test("goes on behind a version that is missing from the list only once it is there again", () => {
    const crd = sampleCrd({
      versions: [v1, { ...v1beta1, served: false }],
      storedVersions: ["v1"],
      shrankWithoutProof: ["v1beta1"],
    });
    expect(standings(crd)).toEqual(["done", "done", "ready restore", "refused remove storage", "unneeded"]);
  });

  test("waits for a list that can be trusted, unless a prune or a repair corrects it", () => {
    const versions = [v1, { ...v1beta1, served: false }, sampleVersion("v1alpha1")];
    const path = (storedVersions: string[], changes: Partial<Crd> = {}) => standings(sampleCrd({ versions, storedVersions, ...changes }));
    for (const storedVersions of [[], ["v1", "v1"]]) {
      expect(path(storedVersions)).toEqual(["done", "done", "refused rewrite", "refused remove storage", "unneeded"]);
    }
    expect(path(["v1alpha1"])).toEqual(["done", "done", "ready rewrite", "refused remove storage", "unneeded"]);
    expect(path(["v1beta1", "v1beta1", "v1"])[2]).toBe("ready rewrite");
    expect(path(["v1", "v1"], { shrankWithoutProof: ["v1beta1"] })[2]).toBe("ready restore");
    expect(standings(provenCrd({ versions, storedVersions: ["v1alpha1"] }))[2]).toBe("ready prune");
    expect(path(["v1", "v1"], { versions: [v1] })[2]).toBe("done");
  });

  test("leads back to a rewrite where one that did not end proven leaves a doubt", () => {
    const crd = sampleCrd({
      versions: [v1, { ...v1beta1, served: false }],
      storedVersions: ["v1"],
      record: sampleRecord({ doubt: { rejected: 0 } }),
    });
    expect(standings(crd)).toEqual(["done", "done", "ready rewrite", "refused remove storage", "unneeded"]);
    expect(currentRemovalStep(removalSteps(crd, "v1beta1", now))).toBe("storage");
    expect(removalSteps({ ...crd, versions: [v1] }, "v1beta1", now)[2]?.state).toBe("done");
  });

  test("waits for a run, which no other step ends", () => {
    const crd = sampleCrd({ versions: [v1, v1beta1], record: sampleRecord({ runs: [sampleRun()] }) });
    expect(standings(crd)).toEqual(["refused deprecate", "refused unserve", "refused rewrite", "refused remove", "unneeded"]);
    expect(removalSteps(crd, "v1beta1", now)[1]?.refusal?.run?.id).toBe("run-1");
  });

  test("keeps a webhook that converts between the others", () => {
    const crd = sampleCrd({ versions: [v1, sampleVersion("v2")], storedVersions: ["v1"], conversion: webhook });
    const [, , , , conversion] = removalSteps(crd, "v1beta1", now);
    expect(conversion).toMatchObject({ state: "unneeded", action: null, solvedBy: null, patch: [] });
    expect(dropConversionRefusal(crd, now)?.message).toBe("v1 and v2 are in spec.versions, and the webhook converts between them.");
    expect(currentRemovalStep(removalSteps(crd, "v1beta1", now))).toBeNull();
  });
});

test("a step's patch is the one that its action sends", () => {
  const crd = sampleCrd({ versions: [v1, { ...v1beta1, served: false }], storedVersions: ["v1"], conversion: webhook });
  const [, , , spec, conversion] = removalSteps(crd, "v1beta1", now);
  expect(spec?.patch).toEqual([
    { op: "test", path: "/spec/versions/1/name", value: "v1beta1" },
    { op: "remove", path: "/spec/versions/1" },
  ]);
  expect(conversion?.patch.at(-1)).toEqual({ op: "replace", path: "/spec/conversion", value: { strategy: "None" } });
});
