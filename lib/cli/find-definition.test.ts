import { expect, test } from "vitest";
import { chooseDefinition } from "./find-definition.ts";

const names = ["crontabs.other.io", "backups.example.com", "crontabs.example.com", "pods.example.com"];
const choose = (written: string) => chooseDefinition(names, written, { cluster: "east", program: "crdshift" });

test.each([
  ["crontabs.example.com", "crontabs.example.com"],
  ["backups", "backups.example.com"],
  ["Backups", "backups.example.com"],
])("%s resolves to %s", (written, name) => {
  expect(choose(written)).toBe(name);
});

test("refuses an ambiguous plural and lists the candidates", () => {
  expect(() => choose("crontabs")).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: "2 definitions have the plural crontabs.",
      nextStep: "Use a full name: crontabs.example.com, crontabs.other.io.",
    }),
  );
});

test.each([
  ["certificates", /^See "crdshift status"/],
  ["jobs", /^See "crdshift status"/],
  ["backups.example", /^Did you mean backups\.example\.com\? See/],
  ["backup", /^Did you mean backups\.example\.com\? See/],
  ["corntabs", /^Did you mean crontabs\.example\.com or crontabs\.other\.io\? See/],
  ["crontab.example.com", /^Did you mean crontabs\.example\.com\? See/],
  ["crontab.nowhere.io", /^See "crdshift status"/],
])("suggests similar names when %s does not exist", (written, nextStep) => {
  expect(() => choose(written)).toThrow(expect.objectContaining({ code: "not_found", nextStep: expect.stringMatching(nextStep) }));
});
