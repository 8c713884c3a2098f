import type { CrdVersion } from "#lib/contract/crd.ts";

/** Why the versions stand in this order, on demand. */
export function PriorityOrder({ versions }: { versions: CrdVersion[] }) {
  return (
    <details className="pt-3 text-xs">
      <summary className="text-ink-soft hover:text-ink">Why this order?</summary>
      <div className="flex max-w-2xl flex-col gap-2 pt-2 text-ink-soft">
        <p>
          Kubernetes orders versions by stability (GA, then beta, then alpha), then by major, then by minor number, highest first. Names of
          another form come last, alphabetically. Clients that don't ask for a version get the first served one.
        </p>
        <ol className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
          {versions.map((version) => (
            <li key={version.name} className="contents">
              <span className="max-w-64 truncate font-mono text-ink">{version.name}</span>
              <span>{version.priorityReason}</span>
            </li>
          ))}
        </ol>
      </div>
    </details>
  );
}
