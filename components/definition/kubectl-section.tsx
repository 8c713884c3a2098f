import { KubectlBlock } from "#components/crd/kubectl-block.tsx";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { pruneCommand, rewriteCommand } from "./kubectl-commands.ts";

/** The same by hand, for those who want to read it or may not use the buttons. */
export function KubectlSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  return (
    <Section title="By hand">
      <details>
        <summary className="text-sm text-ink-soft hover:text-ink">Equivalent kubectl commands</summary>
        <div className="flex flex-col gap-3 pt-3">
          <h3 className="text-xs font-medium text-ink-soft">
            Rewrite. It does not wait for slow requests to settle, nor verify, nor prove anything.
          </h3>
          <KubectlBlock cluster={cluster} command={(kubectl) => rewriteCommand(kubectl, crd)} copyLabel="Copy the rewrite command" />
          {crd.leftoverVersions.length > 0 ? (
            <>
              <h3 className="text-xs font-medium text-ink-soft">
                Prune. Only after every object is known to be stored as {crd.storageVersion}.
              </h3>
              <KubectlBlock cluster={cluster} command={(kubectl) => pruneCommand(kubectl, crd)} copyLabel="Copy the prune command" />
            </>
          ) : null}
        </div>
      </details>
    </Section>
  );
}
