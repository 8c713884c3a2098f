import fc from "fast-check";
import type { Dispatcher } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { HeldBack, nextLimit, wholeAnswer } from "./whole-answer.ts";

const MIB = 1024 * 1024;

function limitsFor(first: number, bytesEach: number, pages: number): number[] {
  const limits = [first];
  for (let limit = first; limits.length < pages; limits.push(limit)) limit = nextLimit(limit, { items: limit, bytes: bytesEach * limit });
  return limits;
}

test("small items are read 500 at a time after a few pages", () => {
  expect(limitsFor(4, 2_700, 6)).toEqual([4, 16, 64, 256, 500, 500]);
  expect(limitsFor(50, 700, 4)).toEqual([50, 200, 500, 500]);
});

test("large items are read a few at a time", () => {
  expect(limitsFor(50, 240 * 1024, 3)).toEqual([50, 6, 6]);
  expect(nextLimit(8, { items: 8, bytes: 6 * MIB })).toBe(2);
  expect(nextLimit(1, { items: 1, bytes: 10 * MIB })).toBe(1);
});

test("an empty page does not shrink the next one", () => {
  expect(nextLimit(50, { items: 0, bytes: 200 })).toBe(50);
});

test("a limit is from 1 to 500", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat({ max: 500 }), fc.integer({ min: 1, max: 100 * MIB }), (limit, items, bytes) => {
      const next = nextLimit(limit, { items, bytes });
      expect(next).toBeGreaterThanOrEqual(1);
      expect(next).toBeLessThanOrEqual(500);
    }),
  );
});

describe("what ends the sending earlier than the wait for the answer", () => {
  function held() {
    const [within, signal] = [new AbortController(), new AbortController()];
    const sent = Promise.withResolvers<Dispatcher.DispatchHandler>();
    const dispatcher = { dispatch: (_: unknown, handler: Dispatcher.DispatchHandler) => sent.resolve(handler) };
    const [begun, refused] = [vi.fn(), vi.fn()];
    const isHeld = vi.fn<() => HeldBack | null>(() => null);
    const answer = wholeAnswer(
      dispatcher as unknown as Dispatcher,
      { path: "/", method: "PATCH" },
      { signal: signal.signal, maxBytes: 10_000, sending: { within: within.signal, held: isHeld, begun, refused } },
    );
    const controller = { abort: vi.fn() } as unknown as Dispatcher.DispatchController & { abort: ReturnType<typeof vi.fn> };
    return { within, signal, isHeld, begun, answer, controller, handler: sent.promise };
  }

  // Without stopSending, what waits for a connection goes out although the work has ended.
  test("keeps a request back that waits for a connection", async () => {
    const { within, begun, answer, controller, handler } = held();
    const reason = new Error("The definition changed.");
    within.abort(reason);
    await expect(answer).rejects.toBe(reason);
    (await handler).onRequestStart?.(controller, {});
    expect(controller.abort).toHaveBeenCalledWith(reason);
    expect(begun).not.toHaveBeenCalled();
  });

  // Without held() it goes out, however long it has waited since its caller last looked.
  test("holds a request back that must not go out when it has a connection", async () => {
    const { isHeld, begun, answer, controller, handler } = held();
    const reason = new HeldBack("The definition may have changed.");
    isHeld.mockReturnValue(reason);
    const { onRequestStart, onResponseError } = await handler;
    onRequestStart?.(controller, {});
    expect(controller.abort).toHaveBeenCalledWith(reason);
    onResponseError?.(controller, reason);
    await expect(answer).rejects.toBe(reason);
    expect(begun).not.toHaveBeenCalled();
  });

  test("doesn't end one that was sent, until the wait for its answer ends", async () => {
    const { within, signal, begun, answer, controller, handler } = held();
    (await handler).onRequestStart?.(controller, {});
    expect(begun).toHaveBeenCalledOnce();
    within.abort(new Error("Cancelled."));
    expect(controller.abort).not.toHaveBeenCalled();
    const reason = new Error("The wait is over.");
    signal.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(controller.abort).toHaveBeenCalledWith(reason);
  });
});

describe("an answer that arrives byte by byte", () => {
  /** A dispatcher whose answer the test sends, piece by piece. */
  function sending() {
    const sent = Promise.withResolvers<Dispatcher.DispatchHandler>();
    const controller = { abort: vi.fn() } as unknown as Dispatcher.DispatchController & { abort: ReturnType<typeof vi.fn> };
    const dispatcher = { dispatch: (_: unknown, handler: Dispatcher.DispatchHandler) => sent.resolve(handler) };
    const signal = new AbortController().signal;
    const options = { path: "/", method: "GET" } as const;
    const answer = wholeAnswer(dispatcher as unknown as Dispatcher, options, { signal, maxBytes: 10_000 });
    return { answer, controller, handler: sent.promise };
  }

  test("is whole at its end", async () => {
    const { answer, controller, handler } = sending();
    const { onRequestStart, onResponseStart, onResponseData, onResponseEnd } = await handler;
    onRequestStart?.(controller, {});
    onResponseStart?.(controller, 200, {});
    const text = "aä".repeat(3_000);
    for (const byte of Buffer.from(text)) onResponseData?.(controller, Buffer.from([byte]));
    onResponseEnd?.(controller, {});
    expect(await answer).toEqual({ statusCode: 200, headers: {}, text, bytes: 9_000 });
  });

  // A webhook's Status may have any length, and is parsed twice if it was cut.
  test("is cut after 256 KiB if it failed", async () => {
    const { answer, controller, handler } = sending();
    const { onRequestStart, onResponseStart, onResponseData } = await handler;
    onRequestStart?.(controller, {});
    onResponseStart?.(controller, 500, {});
    for (let kib = 0; kib < 256; kib += 16) onResponseData?.(controller, Buffer.alloc(16 * 1024, "x"));
    expect(controller.abort).not.toHaveBeenCalled();
    onResponseData?.(controller, Buffer.from("x"));
    expect(controller.abort).toHaveBeenCalledOnce();
    expect((await answer).text).toHaveLength(256 * 1024);
  });

  test("is given up after five minutes, though the next byte always comes in time", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { answer, controller, handler } = sending();
    const { onRequestStart, onResponseStart, onResponseData } = await handler;
    onRequestStart?.(controller, {});
    onResponseStart?.(controller, 200, {});
    for (let second = 0; second < 299; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      onResponseData?.(controller, Buffer.from("x"));
    }
    expect(controller.abort).not.toHaveBeenCalled();
    const isGivenUp = expect(answer).rejects.toMatchObject({ code: "UND_ERR_BODY_TIMEOUT" });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(controller.abort).toHaveBeenCalledOnce();
    await isGivenUp;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a long answer", () => {
  async function begun() {
    const turn = Promise.withResolvers<() => void>();
    const stop = new AbortController();
    let within: AbortSignal | undefined;
    const mayArrive = (signal: AbortSignal) => {
      within = signal;
      return turn.promise;
    };
    const sent = Promise.withResolvers<Dispatcher.DispatchHandler>();
    const dispatcher = { dispatch: (_: unknown, handler: Dispatcher.DispatchHandler) => sent.resolve(handler) } as unknown as Dispatcher;
    const answer = wholeAnswer(dispatcher, { path: "/", method: "GET" }, { signal: stop.signal, maxBytes: MIB, mayArrive });
    const handler = await sent.promise;
    const controller = {
      ...{ pause: vi.fn(), resume: vi.fn() },
      abort: vi.fn((error: Error) => handler.onResponseError?.(controller, error)),
    } as unknown as Dispatcher.DispatchController & { pause: ReturnType<typeof vi.fn>; resume: ReturnType<typeof vi.fn> };
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 200, {});
    const piece = Buffer.alloc(100 * 1024, "x");
    const arrive = () => handler.onResponseData?.(controller, piece);
    arrive();
    expect(controller.pause).not.toHaveBeenCalled();
    arrive();
    expect([controller.pause.mock.calls.length, controller.resume.mock.calls.length]).toEqual([1, 0]);
    return { answer, handler, controller, turn, stop, arrive, within: () => within };
  }

  test("arrives on when it is its turn, which ends with it", async () => {
    const { answer, handler, controller, turn, arrive } = await begun();
    const hasArrived = vi.fn();
    turn.resolve(hasArrived);
    await expect.poll(() => controller.resume.mock.calls.length).toBe(1);
    arrive();
    expect([controller.pause.mock.calls.length, hasArrived.mock.calls.length]).toEqual([1, 0]);
    handler.onResponseEnd?.(controller, {});
    expect((await answer).bytes).toBe(300 * 1024);
    expect(hasArrived).toHaveBeenCalledOnce();
  });

  test("that ends before its turn waits for none, and gives back one that comes after all", async () => {
    const { answer, turn, stop, within } = await begun();
    stop.abort(new Error("left"));
    await expect(answer).rejects.toThrow("left");
    expect(within()?.aborted).toBe(true);
    const hasArrived = vi.fn();
    turn.resolve(hasArrived);
    await expect.poll(() => hasArrived.mock.calls.length).toBe(1);
  });

  // Twelve that stall kept a run's own record waiting until all of them had timed out, in turn.
  test("that stalls for three seconds gives its turn back, and arrives all the same", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { answer, handler, controller, turn, arrive } = await begun();
    const hasArrived = vi.fn();
    turn.resolve(hasArrived);
    await vi.advanceTimersByTimeAsync(2_000);
    arrive();
    await vi.advanceTimersByTimeAsync(2_900);
    expect(hasArrived).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect(hasArrived).toHaveBeenCalled();
    handler.onResponseEnd?.(controller, {});
    expect((await answer).bytes).toBe(300 * 1024);
    expect(vi.getTimerCount()).toBe(0);
  });
});
