import { CodeBlock } from "#components/ui/code.tsx";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

const SHOWN = 3;

/** status.storedVersions, with what each leftover version blocks. */
export function StoredVersionsSection({ crd }: { crd: CrdDetail }) {
  return (
    <Section
      title="Stored versions"
      aside={<p>Objects may still be stored in these versions. All except the storage version are leftovers.</p>}
    >
      <ul aria-label="Stored versions" className="flex flex-wrap gap-1.5">
        {crd.storedVersions.map((version, index) => (
          // The API server allows duplicates, so the name alone is not a unique key.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown as it is
          <li key={`${version}-${index}`} className="inline-flex min-h-6 items-center gap-1.5 rounded border border-line px-2 text-xs">
            <span className="font-mono [overflow-wrap:anywhere]">{version}</span>
            <Role version={version} crd={crd} />
          </li>
        ))}
        {crd.storedVersions.length === 0 ? <li className="text-ink-soft italic">none listed</li> : null}
      </ul>
      {crd.leftovers.length > 0 ? (
        <div className="flex flex-col gap-2 pt-4">
          <h3 className="text-xs font-medium text-ink-soft">
            The API server's error if you remove {crd.leftovers.length === 1 ? "the leftover version" : "one of them"} now
          </h3>
          <Errors leftovers={crd.leftovers.slice(0, SHOWN)} label="Leftover versions" />
          {crd.leftovers.length > SHOWN ? (
            <details className="text-xs">
              <summary className="pb-2 text-ink-soft hover:text-ink">Show {crd.leftovers.length - SHOWN} more</summary>
              <Errors leftovers={crd.leftovers.slice(SHOWN)} label="More leftover versions" />
            </details>
          ) : null}
        </div>
      ) : null}
    </Section>
  );
}

function Errors({ leftovers, label }: { leftovers: CrdDetail["leftovers"]; label: string }) {
  return (
    <ul aria-label={label} className="flex flex-col gap-2">
      {leftovers.map(({ version, blocks }) => (
        <li key={version}>
          <CodeBlock text={blocks} copyLabel={`Copy the error for ${version}`} />
        </li>
      ))}
    </ul>
  );
}

function Role({ version, crd }: { version: string; crd: CrdDetail }) {
  if (version === crd.storageVersion) return <span className="text-ink-soft">◆ storage version</span>;
  if (!crd.versions.some(({ name }) => name === version)) return <span className="text-blocked">■ not in spec.versions</span>;
  return <span className="text-warning">▲ leftover</span>;
}
