import type { ReactNode } from "react";

/** A list of facts; in print, a page breaks between facts, never within one. */
export function ReportFacts({ children }: { children: ReactNode }) {
  return <dl className="grid max-w-3xl grid-cols-[minmax(8rem,auto)_minmax(0,1fr)] gap-x-6 gap-y-1 text-sm">{children}</dl>;
}

export function ReportFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid break-inside-avoid grid-cols-subgrid">
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
