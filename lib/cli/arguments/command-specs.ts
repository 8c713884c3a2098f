import { clusterCommandSpecs, clusterCommands } from "./cluster-command-specs.ts";
import type { CommandSpec, OptionSpec } from "./command-spec.ts";

export const commandNames = [...clusterCommands, "completion", "help", "version"] as const;
export type CommandName = (typeof commandNames)[number];

export const shells = ["bash", "zsh"] as const;
export type Shell = (typeof shells)[number];
export const helpTopics = [...commandNames, "exit-codes"] as const;
export type HelpTopic = (typeof helpTopics)[number];

/** Options of every command. */
export const globalOptions: readonly OptionSpec[] = [
  {
    name: "context",
    type: "string",
    default: "''",
    description: "The kubeconfig's context to use; its current-context if not given.",
    values: "contexts",
  },
  { name: "help", short: "h", type: "boolean", description: "Show the help of a command." },
  {
    name: "kubeconfig",
    type: "string",
    default: "''",
    description: "The kubeconfig file; $KUBECONFIG or ~/.kube/config if not given, and the pod's own account where there is neither.",
    values: "files",
  },
];

export const commandSpecs: Record<CommandName, CommandSpec> = {
  ...clusterCommandSpecs,
  completion: {
    summary: "Print the completion script of a shell",
    description:
      "Prints a script that completes commands, options, contexts and the names of definitions in bash or zsh. As a plugin of kubectl, completion comes " +
      "through kubectl's own, as long as kubectl_complete-crdshift is in the PATH.",
    usage: "(bash | zsh)",
    examples: [
      ["In this bash, and in every one from now on", `completion bash >> ~/.bashrc && . ~/.bashrc`],
      ["In zsh", `completion zsh > "\${fpath[1]}/_crdshift"`],
    ],
    options: [],
    positionals: [shells],
    arity: [1, 1],
  },
  help: {
    summary: "Show help of a command, or the exit codes",
    description: "Shows the help of a command, or with exit-codes what each exit code means.",
    usage: "[COMMAND | exit-codes]",
    examples: [["What each exit code means", "help exit-codes"]],
    options: [],
    positionals: [helpTopics],
    arity: [0, 1],
  },
  version: {
    summary: "Show crdshift's version",
    description: "Shows crdshift's version. It asks no cluster.",
    usage: "",
    examples: [["The version", "version"]],
    options: [],
    positionals: [],
    arity: [0, 0],
  },
};
