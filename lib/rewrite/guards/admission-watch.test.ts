import { describe, expect, test } from "vitest";
import { watchAdmission } from "./admission-watch.ts";

/** A watch over what `told` says, with clocks that stand still until `wait`. */
function watching(first: string | null = "") {
  const here = { told: first, reads: 0, ms: 0 };
  const clock = { elapsed: () => here.ms, wall: () => here.ms };
  const watch = watchAdmission(async () => {
    here.reads += 1;
    return here.told;
  }, clock);
  const write = async (objects: number) => {
    for (let index = 0; index < objects; index += 1) {
      await watch.now();
      await watch.unchecked(async () => {});
    }
  };
  const wait = (ms: number) => {
    here.ms += ms;
  };
  return { here, watch, write, wait };
}

describe("what mutates is read", () => {
  test("once, then no sooner than after five seconds", async () => {
    const { here, watch, wait } = watching();
    for (const after of [0, 5_000]) {
      wait(after);
      await watch.now();
    }
    expect(here.reads).toBe(1);
    wait(1);
    await watch.now();
    expect(here.reads).toBe(2);
  });

  // Without distrust (unchecked-write.ts) a webhook that is installed right after a reading changes objects for five seconds.
  test("soon after a write raised a generation, if nothing was known to mutate", async () => {
    for (const [told, reads] of [
      ["", 2],
      ["one", 1],
    ] as const) {
      const { here, watch, wait } = watching(told);
      await watch.now();
      wait(501);
      watch.distrust();
      for (const _ of [1, 2]) await watch.now();
      expect(here.reads).toBe(reads);
    }
  });

  test("once more at the end, if something was written unchecked since", async () => {
    const { here, watch, write } = watching();
    await watch.close();
    expect(here.reads).toBe(0);
    await write(1);
    await watch.close();
    expect(here.reads).toBe(2);
    await watch.close();
    expect(here.reads).toBe(2);
  });
});

describe("a no-op write that raises a generation beyond those that defaults explain", () => {
  // Without changed in believed (admission-watch.ts) the lists are believed, which lack static manifests and what has come and gone.
  test("makes unknown what mutates, for good, and is told unless a new reading explains it", async () => {
    const { here, watch, write } = watching();
    await write(3);
    watch.raised(1);
    expect(await watch.now()).toBe("");
    const pending = watch.now();
    watch.raised(1);
    expect(await pending).toBeNull();
    expect([await watch.now(), await watch.again()]).toEqual([null, null]);
    await watch.close();
    expect([watch.changedUnseen(), watch.exposed()]).toEqual([{ atLeast: 1, atMost: 2 }, null]);
    await write(1);
    watch.raised(1);
    here.told = "one";
    await watch.close();
    expect(watch.changedUnseen()).toEqual({ atLeast: 1, atMost: 3 });
    expect(watch.exposed()).toMatchObject({ objects: 1 });
    // One that was under way is counted there already.
    watch.raised(1);
    expect(watch.changedUnseen()).toEqual({ atLeast: 1, atMost: 3 });
  });
});

describe("objects that were written unchecked while it changed", () => {
  test("are those since the last reading that told the same", async () => {
    const { here, watch, write, wait } = watching();
    await write(3);
    wait(6_000);
    await write(4);
    wait(1_000);
    here.told = "one";
    await watch.close();
    expect(watch.exposed()).toEqual({ objects: 4, unreadable: false, from: 6_000, to: 7_000 });
  });

  test("include those that were still being written at that reading", async () => {
    const { here, watch, wait } = watching();
    await watch.now();
    const held = Promise.withResolvers<void>();
    const writing = watch.unchecked(() => held.promise);
    wait(6_000);
    await watch.now();
    here.told = "one";
    wait(6_000);
    await watch.now();
    expect(watch.exposed()).toEqual({ objects: 1, unreadable: false, from: 6_000, to: 12_000 });
    // Counted once, although it ends now and it changes again.
    held.resolve();
    await writing;
    here.told = "another";
    await watch.again();
    expect(watch.exposed()).toMatchObject({ objects: 1 });
  });

  test("are none if it was the same all the while, or could not be read for a while", async () => {
    const { here, watch, write, wait } = watching();
    await write(3);
    here.told = null;
    wait(6_000);
    await write(3);
    here.told = "";
    await watch.close();
    expect(watch.exposed()).toBeNull();
  });

  test("are told by a last look, which leaves untold what it can't read", async () => {
    for (const [told, exposed] of [
      ["one", { objects: 3 }],
      [null, null],
    ] as const) {
      const { here, watch, write } = watching();
      await watch.lastLook();
      await write(3);
      expect(here.reads).toBe(1);
      here.told = told;
      await watch.lastLook();
      expect(here.reads).toBe(2);
      if (exposed) expect(watch.exposed()).toMatchObject(exposed);
      else expect(watch.exposed()).toBeNull();
    }
  });

  test("are told if it can no longer be read at the end", async () => {
    const { here, watch, write } = watching();
    await write(3);
    here.told = null;
    await watch.close();
    expect(watch.exposed()).toMatchObject({ objects: 3, unreadable: true });
  });

  // Where the last reading alone decides, a change that was seen is told as one that nobody saw.
  test("are told to have changed if they were seen to, and could no longer be read later", async () => {
    const { here, watch, write } = watching();
    await write(3);
    here.told = "one";
    await watch.again();
    await write(2);
    here.told = null;
    await watch.close();
    expect(watch.exposed()).toMatchObject({ objects: 5, unreadable: false });
  });
});
