import { expect, test } from "vitest";
import { provenCrd, sampleCrd, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { removeVersionRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { cleanRefusal, cleanRefusals } from "./clean-refusal.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const v1 = sampleVersion("v1", { storage: true });
const v1beta1 = sampleVersion("v1beta1");
const webhook = { strategy: "Webhook", target: "https://127.0.0.1:9443/convert" } as const;

const unserved = { ...v1beta1, served: false };
type Crd = Parameters<typeof cleanRefusal>[0];

test.each<[Crd["conversion"], boolean]>([
  [{ strategy: "None" }, true],
  [webhook, false],
])("with conversion %o, the order is: prune, clean, stop serving, remove; no step waits for a later one", (conversion, isEarly) => {
  const clean = (crd: Crd) => cleanRefusal(crd, "v1beta1", now) === null;
  const remove = (crd: Crd) => removeVersionRefusal(crd, "v1beta1", now) === null;
  const listed = provenCrd({ versions: [v1, v1beta1], conversion });
  expect([clean(listed), remove(listed)]).toEqual([isEarly, false]);
  const pruned = { ...listed, storedVersions: ["v1"] };
  expect([clean(pruned), remove(pruned)]).toEqual([true, false]);
  // A change of the spec voids the proof.
  const stopped = { ...pruned, versions: [v1, unserved], generation: pruned.generation + 1 };
  expect([clean(stopped), remove(stopped)]).toEqual([false, true]);
  const back = { ...pruned, generation: pruned.generation + 2 };
  expect([clean(back), remove(back)]).toEqual([true, false]);
  const removed = { ...stopped, versions: [v1], generation: pruned.generation + 2 };
  expect(clean(removed)).toBe(true);
});

test("the refusal says what comes first", () => {
  const next = (crd: Crd) => cleanRefusal(crd, "v1beta1", now)?.nextStep;
  const listed = sampleCrd({ versions: [v1, v1beta1], conversion: webhook });
  expect(next(listed)).toMatch(/^Clean them before you remove v1beta1\. First: Rewrite the objects, then prune v1beta1\.$/);
  const unseen = sampleCrd({ versions: [v1, unserved], storedVersions: ["v1"] });
  expect(next(unseen)).toMatch(/^Serve v1beta1 until the entries are cleaned\. Or run a rewrite first/);
});

// Without `known` (cleanRefusal) each object is read at a version that is not served, which ends the cleaning.
test("with a webhook, the version has to be served, also while a proof holds", () => {
  const proven = (conversion: Crd["conversion"]) => provenCrd({ versions: [v1, unserved], storedVersions: ["v1"], conversion });
  expect(cleanRefusal(proven(webhook), "v1beta1", now)?.nextStep).toBe("Serve v1beta1 until the entries are cleaned.");
  expect(cleanRefusal(proven({ strategy: "None" }), "v1beta1", now)).toBeNull();
});

test("is refused while a rewrite runs", () => {
  const running = sampleCrd({ record: sampleRecord({ runs: [sampleRun()] }) });
  expect(cleanRefusal(running, "v1alpha1", now)?.run?.id).toBe("run-1");
});

// Without cleanRefusals, each of these looks at every version's place again: half a second on an idle machine.
test("fifty of thousands of versions are decided in little time", async () => {
  const versions = [v1, ...Array.from({ length: 9_000 }, (_, index) => sampleVersion(`v1beta${index + 1}`))];
  const crd = sampleCrd({ versions, storedVersions: versions.map(({ name }) => name) });
  const { longest, result } = await whileWatched(async () => {
    const refusalOf = cleanRefusals(crd, now);
    return versions.slice(-50).map(({ name }) => refusalOf(name));
  });
  expect(result).toEqual(Array.from({ length: 50 }, () => null));
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// With all names (MOST_NAMED in clean-refusal.ts) the page of such a definition was 20 MB, which each viewer waited for.
test("the refusal names ten of thousands of versions", () => {
  const many = Array.from({ length: 9_000 }, (_, index) => sampleVersion(`v${index}${"x".repeat(50)}`, { served: false }));
  const refusal = cleanRefusal(sampleCrd({ versions: [v1, ...many], storedVersions: ["v1"] }), "v1beta1", now);
  expect(refusal?.message).toMatch(/ and 8,990 more would lose\.$/);
  expect(JSON.stringify(refusal).length).toBeLessThan(2_000);
});
