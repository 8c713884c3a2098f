import { runEngines } from "#lib/domain/rewrite/engines.ts";
import { paces } from "#lib/domain/rewrite/pace.ts";
import type { CommandSpec, OptionSpec } from "./command-spec.ts";

/** The commands that talk to a cluster. */
export const clusterCommands = ["status", "check-edits", "dry-run", "rewrite", "prune", "undo-prune", "repair"] as const;
export type ClusterCommand = (typeof clusterCommands)[number];
export const outputFormats = ["table", "json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

const output: OptionSpec = {
  name: "output",
  short: "o",
  type: "string",
  default: "'table'",
  description: "The output format: table, or json for one document in the shape of the HTTP API.",
  values: outputFormats,
};
const acceptLosses: OptionSpec = {
  name: "accept-losses",
  type: "boolean",
  description: "Accept the losses that the latest dry run of the current definition lists, and no others. The proof records this.",
};
const acceptUnseen: OptionSpec = {
  name: "accept-unseen",
  type: "boolean",
  description: "Accept losses that no dry run can show. Objects are then written without a check. The proof records this.",
};

/** The commands that talk to a cluster, as parsing, help, and completion use them. */
export const clusterCommandSpecs: Record<ClusterCommand, CommandSpec> = {
  status: {
    summary: "Show stored versions and what blocks their removal",
    description:
      "Shows every definition, worst state first, with its storage version, stored versions, number of objects, and the reason for its state. " +
      "For a single definition, shows its versions, which are still stored, what each leftover version blocks, the proof, the latest rewrite, " +
      "and the next step.",
    usage: "[DEFINITION]",
    examples: [
      ["Show every definition, worst state first", "status"],
      ["Show one definition, by its plural name if that is unique", "status crontabs"],
      ["List the definitions that need a rewrite", `status -o json | jq -r '.items[] | select(.state == "needs-rewrite").name'`],
      ["Branch on the state", "status crontabs --exit-code"],
    ],
    options: [
      {
        name: "exit-code",
        type: "boolean",
        description:
          "Exit with the code of the definition's state. For several definitions, the most urgent state counts: blocked, then needs rewrite, rewriting, " +
          "prunable, unknown, current. See the help topic exit-codes.",
      },
      output,
    ],
    positionals: ["definition"],
    arity: [0, 1],
  },
  "check-edits": {
    summary: "Check whether the API server would accept the next edit",
    description:
      "Sends each definition back as a dry run in which only the schemas' descriptions differ, four at a time. Stores nothing. An API server refuses " +
      "such an edit if the CEL rules cost more than its budget, even if an older API server accepted them. Needs permission to patch definitions.",
    usage: "[DEFINITION]",
    examples: [
      ["Check every definition", "check-edits"],
      ["Check one definition, with every cause", "check-edits crontabs"],
      ["List the definitions over the budget", "check-edits -o json | jq -r '.items[] | select(.result.isBudget).crd'"],
    ],
    options: [
      {
        name: "exit-code",
        type: "boolean",
        description:
          "Exit with 6 if an edit of a definition would be refused, else with 23 if one wasn't tried. See the help topic exit-codes.",
      },
      output,
    ],
    positionals: ["definition"],
    arity: [0, 1],
  },
  "dry-run": {
    summary: "Show what a rewrite would do, without storing anything",
    description:
      "Checks permissions, conditions, conversion, webhooks and policies, then sends a rewrite's patches as dry runs. Reports the objects that would be " +
      "rejected, the fields that would be dropped, the defaults that would be stored, and the managedFields that would be lost.",
    usage: "DEFINITION",
    examples: [
      ["Try every object, up to 10,000", "dry-run crontabs"],
      ["Try a random sample of 500", "dry-run crontabs --sample-size 500"],
    ],
    options: [
      output,
      {
        name: "sample-size",
        type: "string",
        default: "10000",
        description: "The maximum number of objects to try. If there are more, crdshift tries a random sample of this size.",
      },
    ],
    positionals: ["definition"],
    arity: [1, 1],
  },
  rewrite: {
    summary: "Move every stored object to the storage version, with proof",
    description:
      "Sends every object through one no-op write to store it at the storage version, verifies the result with a fresh list, and writes a proof to " +
      "the definition's annotation. Waits first until the storage version has settled, and stops before losing anything that you have not accepted.\n\n" +
      "Progress goes to standard error: a bar on a terminal, otherwise one line of JSON per event. Ctrl-C cancels the rewrite; rewritten objects " +
      "stay rewritten. SIGTERM interrupts it, and you can resume it later.",
    usage: "DEFINITION",
    examples: [
      ["Rewrite, then prune once proven; prune exits with 8 if there is nothing to prune", "rewrite crontabs && crdshift prune crontabs"],
      ["Patch at most 50 objects per second, then check every object again", "rewrite crontabs --max-per-second 50 --verify every-object"],
      ["Resume an interrupted rewrite", "rewrite crontabs --resume"],
    ],
    options: [
      acceptLosses,
      acceptUnseen,
      {
        name: "engine",
        type: "string",
        default: "'crdshift'",
        description:
          "The engine that patches the objects: crdshift, or in-tree for the cluster's own StorageVersionMigration. crdshift verifies either way.",
        values: [...runEngines],
      },
      { name: "keep-ownership", type: "boolean", description: "Keep managedFields that the rewrite would otherwise lose." },
      {
        name: "max-per-second",
        type: "string",
        default: "NUMBER",
        description: "The maximum number of objects to patch per second. Without it, the pace alone decides.",
      },
      output,
      {
        name: "pace",
        type: "string",
        default: "'normal'",
        description:
          "How much of the API server to take: gentle sends one object at a time and rests as long as each took, normal sends no more at once than " +
          "gains anything, and fast sends as many as the API server takes.",
        values: [...paces],
      },
      {
        name: "resume",
        type: "boolean",
        description: "Resume the definition's interrupted rewrite with the options it was started with.",
      },
      {
        name: "through-status",
        type: "boolean",
        description: "Retry rejected objects through /status, if the storage version has that subresource.",
      },
      {
        name: "verify",
        type: "string",
        default: "'settle-point'",
        description: "The objects to patch again for verification: settle-point for those not above the settle point, or every-object.",
        values: ["settle-point", "every-object"],
      },
    ],
    positionals: ["definition"],
    arity: [1, 1],
  },
  prune: {
    summary: "Remove proven leftover versions from status.storedVersions",
    description:
      "Removes the leftover versions from status.storedVersions, which lets you remove them from spec.versions. Requires a valid proof. On a terminal, " +
      "it asks you to type the definition's name; elsewhere, pass it with --confirm. You can undo the prune with undo-prune while the versions are in " +
      "spec.versions.",
    usage: "DEFINITION",
    examples: [
      ["Prune after typing the name", "prune crontabs"],
      ["Prune in a script", "prune crontabs --confirm crontabs.stable.example.com"],
    ],
    options: [
      {
        name: "confirm",
        type: "string",
        default: "DEFINITION",
        description: "The definition's full name, to confirm without a prompt.",
        values: "definition",
      },
      output,
    ],
    positionals: ["definition"],
    arity: [1, 1],
  },
  "undo-prune": {
    summary: "Undo the last prune",
    description:
      "Adds back the versions that the last prune removed from status.storedVersions. They must still be in spec.versions. To choose which, " +
      "name them.",
    usage: "DEFINITION [VERSION...]",
    examples: [
      ["Undo the last prune", "undo-prune crontabs"],
      ["Undo it for one version", "undo-prune crontabs v1beta1"],
    ],
    options: [output],
    positionals: ["definition", "versions"],
    arity: [1, Number.POSITIVE_INFINITY],
  },
  repair: {
    summary: "Repair storedVersions after another engine",
    description:
      "Adds versions that another engine removed from status.storedVersions while objects are, or may be, stored in them. To choose which, " +
      "name them.",
    usage: "DEFINITION [VERSION...]",
    examples: [
      ["Add the missing versions", "repair crontabs"],
      ["Add one version", "repair crontabs v1beta1"],
    ],
    options: [output],
    positionals: ["definition", "versions"],
    arity: [1, Number.POSITIVE_INFINITY],
  },
};
