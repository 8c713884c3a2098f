"use client";

import { CodeBlock } from "#components/ui/code.tsx";
import { useKubectl } from "./kubectl-scope.tsx";

/** Shell commands that use kubectl on the page's cluster. `command` builds them from the kubectl call for it. */
export function KubectlBlock({ command, copyLabel }: { command: (kubectl: string) => string; copyLabel: string }) {
  return <CodeBlock text={command(useKubectl())} copyLabel={copyLabel} />;
}
