"use client";

import { CodeBlock } from "#components/ui/code-block.tsx";
import { useSession } from "#lib/queries/session/session-query.ts";
import { kubectlFor } from "./kubectl.ts";

interface Props {
  cluster: string;
  /** The lines, given how kubectl is called for the cluster. */
  command: (kubectl: string) => string;
  copyLabel: string;
}

/** Lines for a shell that do something with kubectl in a cluster. */
export function KubectlBlock({ cluster, command, copyLabel }: Props) {
  return <CodeBlock text={command(kubectlFor(useSession(), cluster))} copyLabel={copyLabel} />;
}
