import type { Shell } from "#lib/cli/arguments/command-specs.ts";

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
