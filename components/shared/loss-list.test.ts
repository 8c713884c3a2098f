import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { LossList } from "./loss-list.tsx";

// Without formatLosing (loss-list.tsx) a proof, its report and the dialogs count the losses of a sample as those of all objects.
test("losses in a sample are listed as the least there are", () => {
  const list = { label: "Losses", losses: [{ kind: "dropped" as const, path: "spec.a", objects: 5 }], more: 0 };
  const sampled = renderToStaticMarkup(createElement(LossList, { ...list, sample: { checked: 10_000, total: 12_000 } }));
  expect(sampled).toContain("at least 5 objects");
  expect(sampled).toContain("Sample: 10,000 of 12,000 checked");
  expect(renderToStaticMarkup(createElement(LossList, { ...list, sample: null }))).not.toMatch(/at least|Sample/);
});
