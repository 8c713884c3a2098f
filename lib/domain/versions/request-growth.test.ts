import { describe, expect, test } from "vitest";
import { type RequestCounters, requestGrowth, requestsByVersion, withAnswer } from "./request-growth.ts";

const MONDAY = "2026-01-05T00:00:00Z";
const TUESDAY = "2026-01-06T00:00:00Z";

/** An answer with that many GETs at v1 and LISTs at v1beta1. */
function answer(v1: number, v1beta1: number, startedAt: string | null = MONDAY): RequestCounters {
  const counter = (version: string, verb: string, requests: number) => ({ version, verb, code: "200", subresource: "", requests });
  const requests = [counter("v1", "GET", v1), counter("v1beta1", "LIST", v1beta1)].filter((one) => one.requests > 0);
  return { asOf: "2026-01-07T00:00:00Z", startedAt, requests };
}

const growthOver = (...answers: RequestCounters[]) => {
  const seen = answers.reduce(withAnswer<RequestCounters>, []);
  return Object.fromEntries(requestGrowth(seen));
};

test("requests are summed up by version", () => {
  const { requests } = answer(3, 2);
  const more = { version: "v1", verb: "GET", code: "404", subresource: "status", requests: 4 };
  expect(requestsByVersion({ requests: [...requests, more] })).toEqual(
    new Map([
      ["v1", 7],
      ["v1beta1", 2],
    ]),
  );
});

describe("the growth of requests", () => {
  test("is what has been added since the first answer, by version", () => {
    expect(growthOver(answer(3, 2), answer(5, 2), answer(9, 2))).toEqual({ v1: 6 });
    expect(growthOver(answer(3, 0), answer(3, 4))).toEqual({ v1beta1: 4 });
  });

  test("is nothing after one answer, however often it is seen", () => {
    expect(growthOver(answer(3, 2))).toEqual({});
    expect(growthOver(answer(3, 2), answer(3, 2))).toEqual({});
  });

  test("starts over with another start, and keeps what was seen before it", () => {
    expect(growthOver(answer(100, 2), answer(101, 2), answer(7, 0, TUESDAY))).toEqual({ v1: 1 });
    expect(growthOver(answer(100, 2), answer(101, 2), answer(7, 0, TUESDAY), answer(9, 0, TUESDAY))).toEqual({ v1: 3 });
  });

  test("starts over when a counter is smaller, or gone, where the start is not told", () => {
    expect(growthOver(answer(100, 2, null), answer(101, 2, null), answer(4, 2, null), answer(6, 2, null))).toEqual({ v1: 2 });
    expect(growthOver(answer(3, 2, null), answer(300, 0, null))).toEqual({});
  });

  test("is told apart by API server where several answer in turn", () => {
    expect(growthOver(answer(100, 2), answer(7, 0, TUESDAY), answer(104, 2), answer(8, 1, TUESDAY))).toEqual({ v1: 5, v1beta1: 1 });
  });
});

test("the latest answer stands last, and only ten API servers are remembered", () => {
  const starts = Array.from({ length: 12 }, (_, index) => `2026-01-05T00:00:${String(index).padStart(2, "0")}Z`);
  const seen = starts.map((startedAt) => answer(1, 1, startedAt)).reduce(withAnswer<RequestCounters>, []);
  expect(seen.map(({ latest }) => latest.startedAt)).toEqual(starts.slice(2));
  expect(withAnswer(seen, answer(2, 1, starts[4])).at(-1)?.latest.startedAt).toBe(starts[4]);
});
