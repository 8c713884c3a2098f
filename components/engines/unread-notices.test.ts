import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { OtherEngines } from "#lib/contract/rewrite/migration.ts";
import { UnreadNotices } from "./unread-notices.tsx";

const asOf = "2026-01-02T12:00:00Z";
const notServed = { api: { status: "not-served" }, asOf } as const;
const shown = (openshift: OtherEngines["openshift"], stale = false) =>
  renderToStaticMarkup(createElement(UnreadNotices, { engines: { "in-tree": notServed, openshift }, stale }));

// Without UnreadNotices (definition.tsx) an engine that can't be read looks like one without migrations.
test("an engine whose migrations weren't read is named, with the reason and the age of what is known", () => {
  const failed = { status: "failed", message: "too many requests" } as const;
  const text = shown({ api: failed, asOf });
  for (const words of ["list migration.k8s.io", "too many requests", "Last listed", asOf]) expect(text).toContain(words);
  expect(shown({ api: failed, asOf: null })).toContain("Never listed.");
  expect(shown({ api: null, asOf: null })).toContain("Not listed yet: migration.k8s.io");
  const incomplete = shown({ api: { status: "incomplete", version: "v1alpha1", message: "There are more than 20,000." }, asOf });
  for (const words of ["Listed in part: migration.k8s.io", "20,000", "Last listed", "Delete old"]) expect(incomplete).toContain(words);
  const again = shown({ api: null, asOf });
  for (const words of ["Not listed again yet: migration.k8s.io", "Last listed", asOf]) expect(again).toContain(words);
  expect(shown(notServed)).toBe("");
  expect(shown({ api: { status: "denied", message: "forbidden" }, asOf: null })).toBe("");
});

// Without stale (unread-notices.tsx) whoever may not list or watch definitions reads for ever that an engine isn't listed yet.
test("while crdshift can't follow the definitions, it says that it lists no migrations until then", () => {
  const unasked = shown({ api: null, asOf: null }, true);
  expect(unasked).toContain("Not listed: migration.k8s.io");
  const failed = shown({ api: { status: "failed", message: "busy" }, asOf }, true);
  for (const text of [unasked, failed]) expect(text).toContain("once it can follow the definitions");
  expect(failed).not.toContain("retries automatically");
});
