import { expect, test } from "vitest";
import { acceptedWords } from "./accepted-words.ts";

const accepted = { losses: [{ kind: "dropped" as const, path: "spec.a", objects: 2 }], more: 0, unseen: false, dryRun: "tried" };
const none = { ...accepted, losses: [] };

test("an acceptance says what was listed, and what was accepted unseen", () => {
  expect(acceptedWords(accepted)).toEqual({ brief: "1 path", unlisted: null });
  expect(acceptedWords({ ...accepted, more: 2 })).toEqual({ brief: "3 paths", unlisted: null });
  expect(acceptedWords({ ...accepted, unseen: true })).toEqual({
    ...{ brief: "1 path and unseen losses", unlisted: "Any other loss was accepted unseen." },
  });
  expect(acceptedWords({ ...none, unseen: true })).toEqual({
    ...{ brief: "unseen losses", unlisted: "Losses were accepted unseen, because the dry run couldn't show them." },
  });
  expect(acceptedWords({ ...none, unseen: true, dryRun: null }).unlisted).toBe(
    "Losses were accepted unseen, before a dry run could show them.",
  );
  expect(acceptedWords(none)).toEqual({ brief: "no path", unlisted: "No paths were listed." });
});
