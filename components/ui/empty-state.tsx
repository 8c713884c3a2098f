import type { ReactNode } from "react";

/** Replaces missing content and says what to do about it. */
export function EmptyState({ title, level: Heading = "h1", children }: { title: string; level?: "h1" | "h2"; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-start gap-3 px-4 py-16">
      <Heading className="text-lg font-semibold text-balance [overflow-wrap:anywhere]">{title}</Heading>
      <div className="flex w-full flex-col items-start gap-3 text-ink-soft">{children}</div>
    </div>
  );
}
