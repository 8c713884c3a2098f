import { expect, test } from "vitest";
import { parseArguments } from "./parse-arguments.ts";

const parse = (line: string) => parseArguments(line.split(" ").filter(Boolean), "crdshift");
const onCluster = { output: "table", kubeconfig: null, context: null, rest: [], options: {} };

test.each([
  ["", { command: "help", topic: null }],
  ["--help", { command: "help", topic: null }],
  ["help exit-codes", { command: "help", topic: "exit-codes" }],
  ["rewrite --help", { command: "help", topic: "rewrite" }],
  ["rewrite a b c -h", { command: "help", topic: "rewrite" }],
  ["version", { command: "version" }],
  ["--version", { command: "version" }],
  ["completion zsh", { command: "completion", shell: "zsh" }],
  ["status", { ...onCluster, command: "status", definition: "" }],
  ["--context east status crontabs -o json", { ...onCluster, command: "status", definition: "crontabs", context: "east", output: "json" }],
  ["status -ojson --kubeconfig=/k", { ...onCluster, command: "status", definition: "", output: "json", kubeconfig: "/k" }],
  ["status --context=", { ...onCluster, command: "status", definition: "" }],
  ["undo-prune crontabs v1beta1 v1", { ...onCluster, command: "undo-prune", definition: "crontabs", rest: ["v1beta1", "v1"] }],
  ["status -o=json", { ...onCluster, command: "status", definition: "", output: "json" }],
  [
    "rewrite crontabs --resume=true --accept-losses --accept-losses=false",
    { ...onCluster, command: "rewrite", definition: "crontabs", options: { resume: true, "accept-losses": false } },
  ],
  ["undo-prune crontabs -- --resume=true", { ...onCluster, command: "undo-prune", definition: "crontabs", rest: ["--resume=true"] }],
  [
    "rewrite crontabs --max-per-second 5 --accept-losses",
    { ...onCluster, command: "rewrite", definition: "crontabs", options: { "max-per-second": "5", "accept-losses": true } },
  ],
])("parses: %s", (line, expected) => {
  expect(parse(line)).toEqual(expected);
});

test.each([
  ["stat", /Unknown command "stat"/, /crdshift --help/],
  ["status --bogus", /'--bogus'/, /--help/],
  ["status a b", /takes no argument "b": crdshift status \[DEFINITION\] \[options\]/, /crdshift status --help/],
  ["rewrite", /is missing an argument/, /crdshift rewrite --help/],
  ["rewrite crontabs --max-per-second", /--max-per-second/, /--help/],
  ["prune crontabs --verify every-object", /prune has no option --verify/, /crdshift prune --help/],
  ["status -o yaml", /-o yaml/, /table, json/],
  ["status --accept-losses=false", /status has no option --accept-losses/, /--help/],
  ["rewrite crontabs --resume=maybe", /--resume/, /--help/],
  ["status -o=", /-o /, /table, json/],
  ["completion fish", /"fish"/, /bash, zsh/],
  ["help everything", /"everything"/, /--help/],
  ["status --version", /status has no option --version/, /--help/],
])("refuses with a next step: %s", (line, message, nextStep) => {
  expect(() => parse(line)).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringMatching(message),
      nextStep: expect.stringMatching(nextStep),
    }),
  );
});

test.each([
  ["status", ""],
  ["rewrite", ""],
  ["undo-prune", "crontabs", ""],
])("refuses an empty argument of %s", (...words) => {
  expect(() => parseArguments(words, "crdshift")).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringMatching(/is empty/),
      nextStep: expect.stringMatching(/DEFINITION/),
    }),
  );
});
