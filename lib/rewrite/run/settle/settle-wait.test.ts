import { describe, expect, test } from "vitest";
import { sampleCrd, sampleRecord } from "#lib/domain/testing/sample-crd.ts";
import { settleWait } from "./settle-wait.ts";

const changed = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number) => changed + seconds * 1_000;
const LONG_AGO = { generation: 2, at: 0, sawChange: false };

/** Waits at `serverTime`, in a process that has seen the spec for days. */
const byServer = (crd: ReturnType<typeof sampleCrd>, serverTime: number, settleSeconds = 65) =>
  settleWait(crd, {
    serverTime,
    settleSeconds,
    disprovedAt: null,
    lateAt: null,
    seen: { ...LONG_AGO, specChangedAt: crd.specChangedAt },
    now: 1e9,
  })?.ms ?? 0;

describe("the wait after the last change of the spec", () => {
  test.each([
    { after: 0, left: 66_000 },
    { after: 30.5, left: 35_500 },
    // Both clocks are cut to whole seconds: a change at 0.999 and a date of 66.0 may be 65.001 s apart, never less than 65.
    { after: 65, left: 1_000 },
    { after: 66, left: 0 },
    { after: 1_000_000, left: 0 },
  ])("is $left ms after $after s", ({ after, left }) => {
    expect(byServer(sampleCrd(), at(after))).toBe(left);
  });

  test("is longer, not shorter, if the server's clock is behind the change", () => {
    expect(byServer(sampleCrd(), at(-10))).toBe(76_000);
  });

  test("counts from when crdshift first saw the generation if managedFields don't say", () => {
    const record = sampleRecord({ generationSeen: { generation: 2, at: "2026-01-01T00:00:40Z" } });
    expect(byServer(sampleCrd({ specChangedAt: null, record }), at(60))).toBe(46_000);
  });

  test.each([
    ["was never seen", null],
    ["was seen at an older generation", { generation: 1, at: "2026-01-01T00:00:00Z" }],
  ])("is the full wait if nothing gives the time and the spec %s", (_, generationSeen) => {
    const crd = sampleCrd({ specChangedAt: null, record: sampleRecord({ generationSeen }) });
    expect(byServer(crd, at(1_000_000))).toBe(66_000);
  });

  test("is zero only if configured so", () => {
    expect(byServer(sampleCrd(), at(0), 0)).toBe(0);
  });
});

describe("the wait by crdshift's own clock", () => {
  const wait = (seen: { secondsAgo: number; sawChange: boolean }, serverSecondsAgo: number, disprovedSecondsAgo: number | null = null) =>
    settleWait(sampleCrd(), {
      ...{ serverTime: at(serverSecondsAgo), settleSeconds: 65, now: 1e9 },
      disprovedAt: disprovedSecondsAgo === null ? null : 1e9 - disprovedSecondsAgo * 1_000,
      lateAt: null,
      seen: { generation: 2, at: 1e9 - seen.secondsAgo * 1_000, sawChange: seen.sawChange, specChangedAt: sampleCrd().specChangedAt },
    });

  test("holds if a Date header is ahead, and says that the clocks disagree", () => {
    expect(wait({ secondsAgo: 3, sawChange: true }, 73)).toEqual({
      ms: 62_000,
      because: "By the API server's clock, the spec changed 73 s ago; by crdshift's, 3 s ago. Check the clocks; the longer wait counts.",
    });
  });

  test("holds if crdshift has only just started, without blaming a clock", () => {
    expect(wait({ secondsAgo: 10, sawChange: false }, 1_000_000)).toMatchObject({
      ms: 55_000,
      because: expect.stringContaining("first saw"),
    });
  });

  // Without isFarAhead the wait lasts as long as that clock was ahead, and each rewrite gives up on it.
  test("is all that counts if managedFields date the change far in the future", () => {
    expect(wait({ secondsAgo: 65, sawChange: true }, -86_400)).toBeNull();
    expect(wait({ secondsAgo: 5, sawChange: true }, -86_400)).toMatchObject({ ms: 60_000, because: expect.stringContaining("first saw") });
  });

  test("is over when both are", () => {
    expect(wait({ secondsAgo: 65, sawChange: true }, 66)).toBeNull();
  });

  test("begins again when a patch changes an object above the settle point", () => {
    expect(wait({ secondsAgo: 900, sawChange: true }, 900, 5)).toMatchObject({
      ms: 60_000,
      because: expect.stringContaining(
        "found stored at an older version or without a default, encrypted with an earlier key, or changed by a webhook or policy",
      ),
    });
  });
});
