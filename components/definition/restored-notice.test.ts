import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { RestoredNotice } from "./restored-notice.tsx";

const shown = (restoredEtcd: { at: string; from: string; to: string } | null) =>
  renderToStaticMarkup(createElement(RestoredNotice, { crd: { restoredEtcd } }));

test("the page says that etcd was restored, and what to do", () => {
  const text = shown({ at: "2026-01-02T12:00:00.000Z", from: "960", to: "940" });
  for (const words of ["etcd was restored from a backup", "back to a state from before resourceVersion 960", "then rewrite again"]) {
    expect(text).toContain(words);
  }
  expect(shown(null)).toBe("");
});
