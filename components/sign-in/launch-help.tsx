import type { ReactNode } from "react";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";

/** Where the link is found that signs a browser in. */
export function LaunchHelp({ notice }: { notice: ReactNode }) {
  return (
    <EmptyState title="Open the link that crdshift printed">
      {notice}
      <p>
        It stands where crdshift was started, and ends in <code className="font-mono text-xs">/sign-in#launch=…</code>. Each link signs one
        browser in, once; then a new one is printed there. Once this browser is signed in, this page goes on by itself.
      </p>
      <h2 className="pt-2 text-sm font-semibold text-ink">Scripts</h2>
      <p>They need no link: start crdshift with CRDSHIFT_TOKEN set, and send the same as a bearer token.</p>
      <div className="w-full">
        <CodeBlock
          text={`curl -H "Authorization: Bearer $CRDSHIFT_TOKEN" ${window.location.origin}/api/clusters`}
          copyLabel="Copy the command"
        />
      </div>
    </EmptyState>
  );
}
