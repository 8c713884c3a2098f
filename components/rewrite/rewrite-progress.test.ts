import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { sampleCrd, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { conversionQuery } from "#lib/queries/definition/crd-queries.ts";
import { RewriteProgress } from "./rewrite-progress.tsx";

const failure = "conversion webhook for example.com/v1beta1, Kind=CronTab failed: connection refused";

function shown(run: Partial<Run>, crd: CrdDetail | null = null, findings: object[] = []): string {
  const client = new QueryClient();
  const { name, generation } = sampleCrd();
  client.setQueryData<unknown>(conversionQuery("kind", name, generation).queryKey, { findings });
  const progress = createElement(RewriteProgress, { cluster: "kind", run: sampleRun(run), crd });
  return renderToStaticMarkup(createElement(QueryClientProvider, { client }, progress));
}

const detail = (message: string): CrdDetail =>
  sampleDetail(sampleCrd(), { total: null, basis: "failed", asOf: null, message, conversionFailure: message }, Date.now());

describe("a run that waits for a broken conversion webhook", () => {
  const waiting = { statusReason: `Objects can't be converted: ${failure}`, retryAt: new Date(Date.now() + 12_400).toISOString() };

  test("says so as an error, once: what fails, what to fix, and when it is tried again", () => {
    const html = shown(waiting);
    expect(html).toMatch(/role="alert".*Objects can&#x27;t be converted.*connection refused.*Start the webhook&#x27;s server/);
    expect(html).toMatch(/role="timer"[^>]*>Tries again in 1[23] s</);
    expect(html.split("connection refused")).toHaveLength(2);
    expect(html).not.toContain("Backing off");
  });

  test("says what the definition itself shows to be wrong, in the words of its page", () => {
    const finding = { severity: "fail", message: "The CA bundle has no readable certificate.", nextStep: "Set caBundle." };
    const html = shown(waiting, detail(failure), [finding, { severity: "info", message: "Only a note.", nextStep: "" }]);
    expect(html).toContain("The CA bundle has no readable certificate. Set caBundle.");
    expect(html).not.toMatch(/Only a note|Start the webhook/);
  });

  test("says so while it settles or is paused, without a promise to try again", () => {
    const settling = shown({ phase: "settling", statusReason: "The spec changed 12 s ago." }, detail(failure));
    expect(settling).toMatch(/role="alert".*Not all objects can be converted.*connection refused/);
    const paused = shown({ phase: "paused", statusReason: `Paused manually. ${failure}` });
    expect(paused).toMatch(/>Paused manually\.<.*role="alert".*connection refused/);
    for (const html of [settling, paused]) expect(html).not.toContain('role="timer"');
  });
});

// Without `waitsFor` (rewrite-progress.tsx) a count that fails hides what the run waits for.
test("an object that can't be converted is told beside what the run does, and beside what else it waits for", () => {
  const slowed = shown({ statusReason: "The API server asked crdshift to slow down.", retryAt: null }, detail(failure));
  expect(slowed).toMatch(/role="progressbar".*Backing off.*slow down.*role="alert".*Not all objects can be converted.*connection refused/);
});

test("any other trouble is no error, but says when it is tried again", () => {
  const html = shown({ statusReason: "The API server asked crdshift to slow down.", retryAt: null });
  expect(html).toMatch(/role="status".*Backing off.*slow down.*Trying again now/);
  expect(html).not.toContain('role="alert"');
});
