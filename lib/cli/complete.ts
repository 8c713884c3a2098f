import { oneLine } from "#lib/cluster/transport/printable.ts";
import type { OptionSpec } from "./arguments/command-spec.ts";
import { type CommandName, commandNames, commandSpecs, globalOptions, type Shell } from "./arguments/command-specs.ts";
import { optionCalled } from "./arguments/parse-arguments.ts";
import type { ClusterChoice } from "./command-context.ts";

/** Names from a kubeconfig and a cluster; empty if they can't be read. */
export interface CompletionSources {
  contexts(choice: ClusterChoice): Promise<readonly string[]>;
  definitions(choice: ClusterChoice): Promise<readonly string[]>;
}

/** Whether the shell completes file names itself. Source: github.com/spf13/cobra, ShellCompDirective. */
const directives = { files: ":0", none: ":4" };

interface Candidate {
  value: string;
  description?: string;
}

/**
 * Completes the last word, in the format kubectl expects from its plugins: one candidate per line with a description after a tab, and
 * cobra's directive on the last line. `words` are the words between the program's name and the cursor; the last may be empty.
 */
export async function complete(words: readonly string[], sources: CompletionSources): Promise<string> {
  const current = words.at(-1) ?? "";
  const typed = readTyped(words.slice(0, -1));
  const [, assigned, start = ""] = /^(--?[^=]+=)(.*)$/.exec(current) ?? [];
  const option = assigned ? optionCalled(assigned.slice(0, -1)) : typed.waiting;
  if (option?.values === "files") return directives.files;
  const isOption = current.startsWith("-") && !typed.onlyArguments && !option;
  const found = option ? await valuesOf(option.values, typed, sources) : isOption ? optionsOf(typed) : await argumentsOf(typed, sources);
  const begun = assigned ? start : current;
  const lines = found
    // Names from the cluster that a shell or a terminal would misread are left out.
    .filter(({ value }) => value.startsWith(begun) && oneLine(value) === value)
    .map(({ value, description }) => `${assigned ?? ""}${value}${description ? `\t${description}` : ""}`);
  return [...lines, directives.none].join("\n");
}

interface Typed {
  command: CommandName | null;
  /** The arguments after the command. */
  positionals: string[];
  options: Map<string, string>;
  /** The option whose value comes next. */
  waiting: OptionSpec | null;
  /** After `--`. */
  onlyArguments: boolean;
}

function readTyped(words: readonly string[]): Typed {
  const typed: Typed = { command: null, positionals: [], options: new Map(), waiting: null, onlyArguments: false };
  for (const word of words) {
    const option = typed.onlyArguments ? null : optionCalled(word.replace(/=.*$/s, ""));
    if (typed.waiting) {
      typed.options.set(typed.waiting.name, word);
      typed.waiting = null;
    } else if (word === "--" && !typed.onlyArguments) typed.onlyArguments = true;
    else if (option && word.includes("=")) typed.options.set(option.name, word.slice(word.indexOf("=") + 1));
    else if (option) typed.waiting = option.type === "string" ? option : null;
    else if (word.startsWith("-") && !typed.onlyArguments) continue;
    else if (typed.command === null) typed.command = commandNames.find((name) => name === word) ?? null;
    else typed.positionals.push(word);
  }
  return typed;
}

function optionsOf({ command }: Typed): Candidate[] {
  const options = [...(command ? commandSpecs[command].options : []), ...globalOptions];
  return options.map(({ name, description }) => ({ value: `--${name}`, description: description.split(/[.;:]/)[0] ?? "" }));
}

async function argumentsOf(typed: Typed, sources: CompletionSources): Promise<Candidate[]> {
  const { command, positionals } = typed;
  if (command === null) return commandNames.map((value) => ({ value, description: commandSpecs[value].summary }));
  const wanted = commandSpecs[command].positionals[positionals.length];
  return wanted === "versions" ? [] : valuesOf(wanted, typed, sources);
}

async function valuesOf(values: OptionSpec["values"], { positionals, options }: Typed, sources: CompletionSources): Promise<Candidate[]> {
  const choice = { kubeconfig: options.get("kubeconfig") || null, context: options.get("context") || null };
  if (values === undefined || values === "files") return [];
  if (values === "contexts") return asCandidates(await sources.contexts(choice));
  if (values === "definition") return asCandidates(matching(await sources.definitions(choice), positionals[0]));
  return asCandidates(values);
}

// A confirmation must name the definition that the command already names.
function matching(names: readonly string[], written: string | undefined): readonly string[] {
  return written === undefined ? names : names.filter((name) => name === written || name.startsWith(`${written}.`));
}

function asCandidates(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value }));
}

/** A script that makes the shell call `__complete`; it also covers the plugin's file name. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case "bash":
      return bash;
    case "zsh":
      return zsh;
    default:
      return shell satisfies never;
  }
}

// Bash also breaks words at = : and @, and replaces only the last piece. macOS ships bash 3.2, which has no mapfile.
const bash = `# bash completion for crdshift
_crdshift() {
  local line=\${COMP_LINE:0:COMP_POINT} last keep candidate quoted
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  last=\${words[\${#words[@]}-1]}
  keep=\${last%"\${last##*["$COMP_WORDBREAKS"]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    case $candidate in
      :0) compopt -o default 2>/dev/null ;;
      :*) ;;
      *)
        candidate=\${candidate%%$'\\t'*}
        printf -v quoted %q "\${candidate#"$keep"}"
        COMPREPLY+=("$quoted")
        ;;
    esac
  done < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
}
complete -F _crdshift crdshift kubectl-crdshift`;

const zsh = `#compdef crdshift kubectl-crdshift
_crdshift() {
  local -a candidates
  local line value
  for line in "\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :0) _files; return ;;
      :*) ;;
      *)
        value=\${\${line%%$'\\t'*}//:/\\\\:}
        [[ $line == *$'\\t'* ]] && value+=":\${line#*$'\\t'}"
        candidates+=("$value")
        ;;
    esac
  done
  _describe crdshift candidates
}
if [[ $funcstack[1] == _crdshift ]]; then
  _crdshift "$@"
else
  compdef _crdshift crdshift kubectl-crdshift
fi`;
