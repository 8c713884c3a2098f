import { MutationObserver, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import type { ChangedVersionDetail } from "#lib/contract/definition/crd.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { changeVersion } from "#lib/queries/definition/definition-mutations.ts";
import { FlipWarning } from "./flip-warning.tsx";

const WARNING = "200 of 1,000 objects checked. What the others would lose is unknown.";
const detail = sampleDetail(sampleCrd(), UNCOUNTED, Date.parse("2026-01-02T12:00:10.000Z"));

afterEach(() => vi.unstubAllGlobals());

/** What the page says after these answers to changes of a version. */
async function shownAfter(answers: ChangedVersionDetail[], generation = detail.generation): Promise<string> {
  const client = new QueryClient();
  const change = new MutationObserver(client, changeVersion("kind", detail.name, "v1", "Change v1"));
  for (const answer of answers) {
    vi.stubGlobal("fetch", async () => Response.json(answer));
    await change.mutate({ storage: true });
  }
  const warning = createElement(FlipWarning, { cluster: "kind", crd: { ...detail, generation } });
  return renderToStaticMarkup(createElement(QueryClientProvider, { client }, warning));
}

test("a change of the storage version that checked only a sample says so on the page", async () => {
  expect(await shownAfter([{ ...detail, warning: WARNING }])).toContain(WARNING);
});

test("a change that left nothing unchecked says nothing, nor does any change after a later one of the spec", async () => {
  expect(await shownAfter([{ ...detail, warning: null }])).toBe("");
  expect(
    await shownAfter([
      { ...detail, warning: WARNING },
      { ...detail, warning: null },
    ]),
  ).toBe("");
  expect(await shownAfter([{ ...detail, warning: WARNING }], (detail.generation ?? 0) + 1)).toBe("");
});
