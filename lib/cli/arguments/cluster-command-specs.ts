import type { CommandSpec, OptionSpec } from "./command-spec.ts";

/** The commands that go to a cluster. */
export const clusterCommands = ["status", "dry-run", "rewrite", "prune", "undo-prune", "repair"] as const;
export type ClusterCommand = (typeof clusterCommands)[number];
export const outputFormats = ["table", "json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

const output: OptionSpec = {
  name: "output",
  short: "o",
  type: "string",
  default: "'table'",
  description: "How the result is printed: table for people, or json, one document in the shape of the HTTP API.",
  values: outputFormats,
};
const acceptLosses: OptionSpec = {
  name: "accept-losses",
  type: "boolean",
  description: "Accept what a dry run told, or would tell, to be lost; this becomes part of the proof.",
};

/** The commands that go to a cluster, as they are parsed, helped on and completed. */
export const clusterCommandSpecs: Record<ClusterCommand, CommandSpec> = {
  status: {
    summary: "Show what definitions store, and what stands in the way",
    description:
      "Shows every definition, worst state first, with its storage version, its stored versions, how many objects there are, and why it is in that " +
      "state. With a definition: its versions, what is still stored, what each leftover version blocks, the proof, the newest rewrite, and what to do next.",
    usage: "[DEFINITION]",
    examples: [
      ["Every definition, worst state first", "status"],
      ["One definition, by its plural name where that is unique", "status crontabs"],
      ["The names of those that need a rewrite", `status -o json | jq -r '.items[] | select(.state == "needs-rewrite").name'`],
      ["Branch on the state", "status crontabs --exit-code"],
    ],
    options: [
      {
        name: "exit-code",
        type: "boolean",
        description:
          "Exit with the code of the definition's state; of several, with that of the first that there is of blocked, needs-rewrite, rewriting, " +
          "prunable, unknown and current. See the help topic exit-codes.",
      },
      output,
    ],
    positionals: ["definition"],
    arity: [0, 1],
  },
  "dry-run": {
    summary: "Find out what a rewrite would do, storing nothing",
    description:
      "Makes a dry run: checks permissions, conditions, conversion, webhooks and policies, then sends the patches of a rewrite as dry runs and tells " +
      "which objects would be rejected, which fields dropped, which defaults stored and whose managedFields lost.",
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
        description: "The most objects to try; of more, a random sample of so many.",
      },
    ],
    positionals: ["definition"],
    arity: [1, 1],
  },
  rewrite: {
    summary: "Move every stored object to the storage version, with proof",
    description:
      "Sends every object through one no-op write, so that it is stored at the storage version, verifies it with a fresh list, and writes a proof into " +
      "the definition's annotation. It waits until the storage version has settled, and stops before it loses anything that was not accepted.\n\n" +
      "Progress goes to standard error: a bar on a terminal, else one line of JSON an event. Ctrl-C cancels; what was rewritten stays. SIGTERM interrupts, to be resumed.",
    usage: "DEFINITION",
    examples: [
      [
        "Rewrite, and prune when it is proven; the prune ends with 8 where nothing is left to be pruned",
        "rewrite crontabs && crdshift prune crontabs",
      ],
      [
        "At most 50 objects a second, looking at every object again afterwards",
        "rewrite crontabs --max-per-second 50 --verify every-object",
      ],
      ["Go on with an interrupted rewrite", "rewrite crontabs --resume"],
    ],
    options: [
      acceptLosses,
      {
        name: "engine",
        type: "string",
        default: "'crdshift'",
        description:
          "Who patches the objects: crdshift, or in-tree, the cluster's own StorageVersionMigration. crdshift verifies either way.",
        values: ["crdshift", "in-tree"],
      },
      { name: "keep-ownership", type: "boolean", description: "Carry managedFields over where the rewrite would lose them." },
      {
        name: "max-per-second",
        type: "string",
        default: "NUMBER",
        description: "The most objects to patch a second; as fast as the API server takes it if not given.",
      },
      output,
      {
        name: "resume",
        type: "boolean",
        description: "Go on with the definition's interrupted rewrite, under the options that it was started with.",
      },
      {
        name: "through-status",
        type: "boolean",
        description: "Try objects that are rejected through /status, where the storage version has that subresource.",
      },
      {
        name: "verify",
        type: "string",
        default: "'settle-point'",
        description: "What is patched again to verify: settle-point, what is not above the settle point; or every-object.",
        values: ["settle-point", "every-object"],
      },
    ],
    positionals: ["definition"],
    arity: [1, 1],
  },
  prune: {
    summary: "Remove proven leftover versions from status.storedVersions",
    description:
      "Removes the leftover versions from status.storedVersions, so that the API server lets them go. It takes a valid proof. On a terminal it asks for " +
      "the definition's name; elsewhere --confirm gives it. undo-prune undoes it while the versions are in spec.versions.",
    usage: "DEFINITION",
    examples: [
      ["Asks for the name", "prune crontabs"],
      ["In a script", "prune crontabs --confirm crontabs.stable.example.com"],
    ],
    options: [
      {
        name: "confirm",
        type: "string",
        default: "DEFINITION",
        description: "The definition's whole name, as a confirmation; nothing is asked then.",
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
      "Puts the versions that your last prune removed back into status.storedVersions. They must still be in spec.versions. Name versions to put back others.",
    usage: "DEFINITION [VERSION...]",
    examples: [
      ["Undo the last prune", "undo-prune crontabs"],
      ["Put back one version", "undo-prune crontabs v1beta1"],
    ],
    options: [output],
    positionals: ["definition", "versions"],
    arity: [1, Number.POSITIVE_INFINITY],
  },
  repair: {
    summary: "Put back versions that were removed without proof",
    description:
      "Puts versions back into status.storedVersions that another engine removed while objects are, or may be, stored in them. Name versions to choose which.",
    usage: "DEFINITION [VERSION...]",
    examples: [
      ["Put back what is missing", "repair crontabs"],
      ["Put back one version", "repair crontabs v1beta1"],
    ],
    options: [output],
    positionals: ["definition", "versions"],
    arity: [1, Number.POSITIVE_INFINITY],
  },
};
