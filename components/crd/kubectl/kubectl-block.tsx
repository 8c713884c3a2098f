"use client";

import { CodeBlock } from "#components/ui/code/code-block.tsx";
import { useSession } from "#lib/queries/session/session-query.ts";
import { kubectlFor } from "./kubectl.ts";

interface Props {
  cluster: string;
  /** Builds the commands from the kubectl call for the cluster. */
  command: (kubectl: string) => string;
  copyLabel: string;
}

/** Shell commands that use kubectl on a cluster. */
export function KubectlBlock({ cluster, command, copyLabel }: Props) {
  return <CodeBlock text={command(kubectlFor(useSession(), cluster))} copyLabel={copyLabel} />;
}
