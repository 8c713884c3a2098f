import { expect, it } from "vitest";
import type { ConversionProbe } from "#lib/contract/definition/conversion.ts";
import { probeMeaning } from "./conversion-probe.tsx";

const answered = { version: "v1", ms: 2, objects: 1, readMs: 3, failure: null } as const;
const probe = (...versions: ConversionProbe["versions"]): ConversionProbe => ({ asOf: "2026-01-01T00:00:00Z", versions });

it("claims only what the probe showed", () => {
  const empty = { ...answered, objects: 0, readMs: null } as const;
  const other = { ...answered, version: "v1beta1" };
  expect(probeMeaning(probe(empty, empty), "Webhook")).toContain("nothing was converted");
  expect(probeMeaning(probe(answered), "Webhook")).toContain("only if the object is stored in another version");
  expect(probeMeaning(probe(answered, other), "Webhook")).toContain("the webhook just converted it");
  expect(probeMeaning(probe(answered, other), "None")).toContain("No webhook is involved");
  expect(probeMeaning(probe(answered, { ...other, readMs: null, failure: "down" }), "Webhook")).toContain("may answer while others fail");
});
