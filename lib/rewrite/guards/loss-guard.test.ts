import { describe, expect, test } from "vitest";
import { shownPath } from "#lib/domain/objects/field-path.ts";
import type { AcceptedLosses } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleDryRunRecord, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { watchAdmission } from "./admission-watch.ts";
import { guardAfter, hasTriedAll, provenGuard } from "./loss-guard.ts";

const crd = sampleCrd();
const dryRun = sampleDryRunRecord(crd, { resourceVersion: "500", startedAt: "2026-01-02T12:00:00.000Z" });
const startedAt = Date.parse(dryRun.startedAt ?? "");
const BEFORE = { resourceVersion: "400" };
const AFTER = { resourceVersion: "501" };
const telling = (admission: string | null) => watchAdmission(async () => admission);
const guard = (changes: Partial<typeof dryRun> = {}, options: { admission?: string | null; now?: number; webhook?: boolean } = {}) =>
  guardAfter(options.webhook ? { conversion: { strategy: "Webhook", target: "" } } : crd, { ...dryRun, ...changes }, null, {
    admission: telling(options.admission === undefined ? "" : options.admission),
    now: () => options.now ?? startedAt,
  });

describe("an object is checked before it is written", () => {
  test("not if the dry run tried it", () => expect(guard().mustCheck(BEFORE)).resolves.toBe(false));
  test("if it was stored after the dry run's list, or left out as current", () => expect(guard().mustCheck(AFTER)).resolves.toBe(true));
  test("if the dry run was a sample", () => expect(guard({ checked: 99 }).mustCheck(BEFORE)).resolves.toBe(true));
  test("if the dry run began before the definition had settled", () =>
    expect(guard({ settled: false }).mustCheck(BEFORE)).resolves.toBe(true));
  test("if the dry run saw rejections", () => expect(guard({ wouldBeRejected: 1 }).mustCheck(BEFORE)).resolves.toBe(true));
  test("if the dry run couldn't tell the losses of an object", () =>
    expect(guard({ lossesKnown: false }).mustCheck(BEFORE)).resolves.toBe(true));
  test("if an earlier crdshift recorded the dry run without its list", () =>
    expect(guard({ resourceVersion: null }).mustCheck(BEFORE)).resolves.toBe(true));

  const fiveMinutes = startedAt + 5 * 60_000;
  test("if a webhook converts and the dry run began more than five minutes ago", async () => {
    expect(await guard({}, { webhook: true, now: fiveMinutes }).mustCheck(BEFORE)).toBe(false);
    expect(await guard({}, { webhook: true, now: fiveMinutes + 1 }).mustCheck(BEFORE)).toBe(true);
  });
  // Without the lower bound in mayBelieve (loss-guard.ts) a record from a clock that was fast by a day is believed for a day.
  test("if a webhook converts and the dry run lies in the future", async () => {
    expect(await guard({}, { webhook: true, now: startedAt - 1 }).mustCheck(BEFORE)).toBe(true);
    expect(await guard({ endedAt: dryRun.startedAt ?? "" }, { webhook: true, now: startedAt - 1 }).holds()).toBe(false);
  });
  test("not because the dry run is old, if no webhook takes part", () =>
    expect(guard({}, { now: fiveMinutes + 1 }).mustCheck(BEFORE)).resolves.toBe(false));
  test.each([
    ["", "one"],
    ["one", "another"],
    ["one", ""],
    // It may depend on who writes, or on a parameter.
    ["one", "one"],
    ["", null],
    [null, ""],
    // If unknown equalled unknown, a webhook that was installed in between would take what it likes.
    [null, null],
  ])("if what mutates was %j in the dry run and is %j now", async (admission, now) => {
    expect(await guard({ admission }, { admission: now }).mustCheck(BEFORE)).toBe(true);
    expect(await guard({ admission }, { admission: now }).holds()).toBe(false);
  });
  test("if it is proven, only where something mutates", async () => {
    expect(await provenGuard(telling(""), null).mustCheck(BEFORE)).toBe(false);
    expect(await provenGuard(telling("one"), null).mustCheck(BEFORE)).toBe(true);
    expect(await provenGuard(telling(null), null).mustCheck(BEFORE)).toBe(true);
  });
});

test("a dry run that left objects out as current has tried all while its settle point holds", () => {
  const skipping = { ...dryRun, checked: 90, alreadyCurrent: 10 };
  const point = (resourceVersion: string) => ({ ...sampleSettlePoint(crd), resourceVersion });
  expect(hasTriedAll(dryRun, null)).toBe(true);
  expect(hasTriedAll(skipping, point("500"))).toBe(true);
  expect(hasTriedAll(skipping, point("600"))).toBe(false);
  expect(hasTriedAll(skipping, null)).toBe(false);
  expect(hasTriedAll({ ...dryRun, onlyRead: 1 }, null)).toBe(false);
});

describe("accepting losses", () => {
  const accepted = (changes: Partial<AcceptedLosses> = {}): AcceptedLosses => ({
    ...{ by: "alice", at: dryRun.endedAt, dryRun: dryRun.id, more: 0, sample: null, unseen: false, of: null, signature: null },
    losses: [{ kind: "dropped", path: "spec.size", objects: 3 }],
    ...changes,
  });
  const accepts = (given: AcceptedLosses, kind: "dropped" | "changed", path: string) =>
    guardAfter(crd, dryRun, given, { admission: telling("") }).accepts({ kind, path, before: null, after: null });

  test("holds where objects are proven, too", () => {
    const lost = { kind: "dropped" as const, path: "spec.size", before: null, after: null };
    expect(provenGuard(telling("one"), accepted()).accepts(lost)).toBe(true);
    expect(provenGuard(telling("one"), null).accepts(lost)).toBe(false);
  });

  test("of one path lets that path pass, of that kind, and no other", () => {
    expect(accepts(accepted(), "dropped", "spec.size")).toBe(true);
    expect(accepts(accepted(), "changed", "spec.size")).toBe(false);
    expect(accepts(accepted(), "dropped", "spec.note")).toBe(false);
  });
  test("turns no other guard off", () =>
    expect(guardAfter(crd, { ...dryRun, checked: 99 }, accepted(), { admission: telling("") }).mustCheck(BEFORE)).resolves.toBe(true));
  test("of more paths than the record holds lets no unlisted path pass", () => {
    expect(accepts(accepted({ more: 5 }), "dropped", "spec.note")).toBe(false);
  });
  // Without the fingerprint (shownPath in field-path.ts) other fields with the same beginning are lost untold.
  test("of a path that was cut lets only that path pass", () => {
    const long = `spec.${"a".repeat(300)}`;
    const cut = accepted({ losses: [{ kind: "dropped", path: shownPath(long), objects: 1 }] });
    expect(accepts(cut, "dropped", long)).toBe(true);
    expect(accepts(cut, "dropped", `${long}b`)).toBe(false);
    expect(accepts(cut, "dropped", "spec.b")).toBe(false);
    const forged = accepted({ losses: [{ kind: "dropped", path: "…", objects: 1 }] });
    expect(accepts(forged, "dropped", "spec.note")).toBe(false);
  });
  test("unseen lets everything pass", () => {
    expect(accepts(accepted({ unseen: true, losses: [] }), "dropped", "spec.note")).toBe(true);
  });
});
