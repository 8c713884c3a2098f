import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import type { CrdCondition } from "#lib/domain/definition/crd.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { ConditionsSection } from "./conditions-section.tsx";

const detail = (conditions: CrdCondition[]) => sampleDetail(sampleCrd({ conditions }), UNCOUNTED, Date.parse("2026-01-02T12:00:10.000Z"));
const rows = (crd: ReturnType<typeof detail>) =>
  renderToStaticMarkup(createElement(ConditionsSection, { cluster: "demo", crd })).match(/<tr class="align-top.*?<\/tr>/g) ?? [];
const established = (status: CrdCondition["status"]): CrdCondition => ({ type: "Established", status, reason: "", message: "" });

test("of thousands of conditions, the first twenty are shown, and how many more there are", () => {
  const crd = detail(Array(3_502).fill(established("True")));
  expect(rows(crd)).toHaveLength(20);
  expect(renderToStaticMarkup(createElement(ConditionsSection, { cluster: "demo", crd }))).toContain("And 3,482 more conditions.");
});

test("conditions of one type are explained each by itself, and a new one once the server has seen it", () => {
  const crd = detail([established("False"), established("True")]);
  const [first, second] = rows(crd);
  expect(first).toContain("Its objects are not served");
  expect(second).toContain("Its objects are served until");
  const added = { ...crd, conditions: [...crd.conditions, { ...established("True"), type: "Terminating" }] };
  expect(rows(added)[2]).toContain("Terminating");
  expect(rows(added)).toHaveLength(3);
});
