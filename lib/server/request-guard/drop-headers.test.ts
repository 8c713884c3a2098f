import { expect, test } from "vitest";
import { dropHeaders } from "./drop-headers.ts";

const left = (headers: Record<string, string>, kept = "") => {
  const copy = { ...headers };
  dropHeaders(copy, kept);
  return Object.keys(copy);
};

test.each([
  "x-middleware-subrequest",
  "x-middleware-rewrite",
  "x-nextjs-postponed",
  "next-action",
  "next-resume",
  "impersonate-user",
  "impersonate-extra-scopes",
  "x-remote-user",
  "x-forwarded-host",
  "x-forwarded-for",
  "forwarded",
  "x-original-url",
])("%s is dropped", (name) => {
  expect(left({ host: "localhost", [name]: "x" })).toEqual(["host"]);
});

test.each(["cookie", "authorization", "rsc", "next-url", "next-router-state-tree", "accept", "sec-fetch-site"])("%s is not", (name) => {
  expect(left({ [name]: "x" })).toEqual([name]);
});

test("what the Connection header names is dropped, but for what the request was judged by", () => {
  const headers = { connection: "close, Cookie,x-a , host", cookie: "a=b", "x-a": "1", host: "localhost" };
  expect(left(headers)).toEqual(["connection", "host"]);
});

test("the one header of a trusted proxy is kept when it was switched on", () => {
  const name = "x-forwarded-access-token";
  expect(left({ [name]: "x", "x-forwarded-user": "y" }, name)).toEqual([name]);
  expect(left({ [name]: "x" })).toEqual([]);
});
