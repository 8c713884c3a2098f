import type { ReactNode } from "react";

/** A name and value in two columns of a section's list of facts. */
export function FactRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
