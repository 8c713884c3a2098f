import { clusterCommandSpecs, clusterCommands } from "./cluster-command-specs.ts";
import type { CommandSpec, OptionSpec } from "./command-spec.ts";

export const commandNames = [...clusterCommands, "completion", "help", "version"] as const;
export type CommandName = (typeof commandNames)[number];

export const shells = ["bash", "zsh"] as const;
export type Shell = (typeof shells)[number];
export const helpTopics = [...commandNames, "exit-codes"] as const;
export type HelpTopic = (typeof helpTopics)[number];

/** Options that every command accepts. */
export const globalOptions: readonly OptionSpec[] = [
  {
    name: "context",
    type: "string",
    default: "''",
    description: "The kubeconfig context to use. Defaults to the current-context.",
    values: "contexts",
  },
  { name: "help", short: "h", type: "boolean", description: "Show help for a command." },
  {
    name: "kubeconfig",
    type: "string",
    default: "''",
    description: "The kubeconfig file. Defaults to $KUBECONFIG, then ~/.kube/config, then the pod's service account.",
    values: "files",
  },
];

export const commandSpecs: Record<CommandName, CommandSpec> = {
  ...clusterCommandSpecs,
  completion: {
    summary: "Print a shell completion script",
    description:
      "Prints a script that completes commands, options, contexts and definition names in bash or zsh. When crdshift runs as a kubectl plugin, " +
      "kubectl's own completion covers it, as long as kubectl_complete-crdshift is in your PATH.",
    usage: "(bash | zsh)",
    examples: [
      ["In bash, for this shell and all future ones", `completion bash >> ~/.bashrc && . ~/.bashrc`],
      ["In zsh", `completion zsh > "\${fpath[1]}/_crdshift"`],
    ],
    options: [],
    positionals: [shells],
    arity: [1, 1],
  },
  help: {
    summary: "Show help for a command or the exit codes",
    description: "Shows help for a command. With exit-codes, shows the meaning of each exit code.",
    usage: "[COMMAND | exit-codes]",
    examples: [["Show the exit codes", "help exit-codes"]],
    options: [],
    positionals: [helpTopics],
    arity: [0, 1],
  },
  version: {
    summary: "Show crdshift's version",
    description: "Shows crdshift's version without contacting a cluster.",
    usage: "",
    examples: [["Show the version", "version"]],
    options: [],
    positionals: [],
    arity: [0, 0],
  },
};
