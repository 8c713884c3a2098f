import { expect, test } from "vitest";
import { complete } from "./complete.ts";

const asked: object[] = [];
const sources = {
  contexts: async () => ["east", "arn:aws:eks:west"],
  definitions: async (choice: object) => {
    asked.push(choice);
    return ["crontabs.example.com", "crontabs.other.io", "c\u001b[2J.io", "c\n:0", "backups.example.com"];
  },
};

/** The candidates for the last word without descriptions, and the directive. */
async function candidates(...words: string[]): Promise<string[]> {
  const text = await complete(words, sources);
  return text.split("\n").map((line) => line.split("\t")[0] ?? "");
}

test.each([
  [["re"], ["rewrite", "repair"]],
  [
    ["completion", ""],
    ["bash", "zsh"],
  ],
  [["help", "ex"], ["exit-codes"]],
  [
    ["status", "c"],
    ["crontabs.example.com", "crontabs.other.io"],
  ],
  [["status", "-o", "json", "b"], ["backups.example.com"]],
  [["status", "crontabs", ""], []],
  [["undo-prune", "crontabs", ""], []],
  [["rewrite", "--ve"], ["--verify"]],
  [
    ["rewrite", "crontabs", "--verify", ""],
    ["settle-point", "every-object"],
  ],
  [["rewrite", "crontabs", "--verify=e"], ["--verify=every-object"]],
  [
    ["--context", ""],
    ["east", "arn:aws:eks:west"],
  ],
  [["status", "--context=ar"], ["--context=arn:aws:eks:west"]],
  [
    ["prune", "crontabs", "--confirm", ""],
    ["crontabs.example.com", "crontabs.other.io"],
  ],
  [["status", "--", "--o"], []],
  [
    ["nothing", ""],
    ["status", "check-edits", "dry-run", "rewrite", "prune", "undo-prune", "repair", "completion", "help", "version"],
  ],
])("completes %j to %j, never to a file", async (words, expected) => {
  expect(await candidates(...words)).toEqual([...expected, ":4"]);
});

test("offers a command's own options and the global ones, with descriptions", async () => {
  expect(await complete(["status", "--"], sources)).toMatch(/^--exit-code\tExit with [^\n]+\n--output\t[^\n]+\n--context\t/);
});

test("leaves files to the shell", async () => {
  expect(await candidates("status", "--kubeconfig", "")).toEqual([":0"]);
  expect(await candidates("--kubeconfig=/e")).toEqual([":0"]);
});

test("asks the cluster named on the line", async () => {
  asked.length = 0;
  await candidates("--context=east", "status", "--kubeconfig", "/k", "");
  expect(asked).toEqual([{ context: "east", kubeconfig: "/k" }]);
});
