import { expect, test } from "vitest";
import { intentWords } from "./change-version-button.tsx";

test.each(["stop-serving", "make-storage", "deprecate", "undeprecate"] as const)(
  "the button, its dialog and the submit button say the same verb: %s",
  (intent) => {
    const { label, submit } = intentWords(intent, "v1beta1");
    const [verb] = submit.split(" ");
    expect(label).toMatch(new RegExp(`^${verb} .*v1beta1`));
  },
);

test("a deprecation leaves the other flags alone", () => {
  expect(intentWords("deprecate", "v1").flags).toEqual({ deprecated: true });
});
