import { expect, it } from "vitest";
import { comparisonWords } from "./comparison-words.ts";

const storage = version("v1", { storage: true });
const unserved = version("v1beta1", { served: false });
const same: Parameters<typeof comparisonWords>[0] = { strategy: "None", pairs: 2, differences: [], differencesComplete: true };

it("calls a single version the only one", () => {
  expect(comparisonWords({ ...same, pairs: 0 }, [storage])).toEqual({
    heading: "There is only one version, so nothing is converted.",
    uncompared: null,
  });
});

// Without the versions in the spec (comparison-words.ts), no pair would mean "only one version".
it("doesn't take a version that nothing converts to for one that isn't there", () => {
  expect(comparisonWords({ ...same, pairs: 0 }, [storage, unserved])).toEqual({
    heading: null,
    uncompared: "v1beta1 isn't served, so conversions to it weren't compared. Server-side apply may still convert to it.",
  });
});

// Without everyVersion (comparison-words.ts), people would drop the guard of a dropped webhook by a sentence about versions nobody compared.
it("says that all versions have the same fields only if all were compared", () => {
  const served = version("v1alpha1", {});
  expect(comparisonWords(same, [storage, served])).toEqual({ heading: "All versions have the same fields.", uncompared: null });
  expect(comparisonWords({ ...same, differencesComplete: false }, [storage, served]).heading).toBe("No difference was found.");
  expect(comparisonWords(same, [storage, served, unserved, version("v1alpha2", { served: false })])).toEqual({
    heading: "No difference was found.",
    uncompared: "v1beta1, v1alpha2 aren't served, so conversions to them weren't compared. Server-side apply may still convert to them.",
  });
});

it("names the uncompared versions below differences, too", () => {
  const words = comparisonWords({ ...same, differences: [{ from: "v1", to: "v1alpha1", fields: [".a"], more: 0 }] }, [storage, unserved]);
  expect(words.heading).toBe("Fields dropped when converting between versions");
  expect(words.uncompared).toContain("v1beta1 isn't served");
});

function version(name: string, flags: { served?: boolean; storage?: boolean }) {
  return { name, served: true, storage: false, ...flags };
}
