import { expect, onTestFinished } from "vitest";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";

const RealDate = Date;

/** As when NTP steps this machine's clock back, until the end of the test. */
function setBack(ms: number): void {
  class SetBack extends RealDate {
    constructor(...given: [] | [number]) {
      if (given.length === 0) super(RealDate.now() - ms);
      else super(...given);
    }
    static override now() {
      return RealDate.now() - ms;
    }
  }
  globalThis.Date = SetBack as DateConstructor;
  onTestFinished(() => {
    globalThis.Date = RealDate;
  });
}

// Where its own renewals have to be later than the beginning (disowned in own-record.ts), they pass for an older record that was put back.
faultTest("a clock that is set back doesn't end a run", async (bench) => {
  const definition = await bench.stale(120);
  const { id } = await bench.start(definition, { acceptUnseen: true, maxPerSecond: 4 });
  await bench.rewritten(definition, id, 8);
  setBack(30_000);
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", interruptions: [] });
});
