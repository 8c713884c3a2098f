import { type ReactNode, useId } from "react";

/** A titled section of a page; on wide screens, title and aside stand left of the content. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid gap-x-8 gap-y-3 border-t border-line py-6 lg:grid-cols-[12rem_minmax(0,1fr)]">
      <div className="flex flex-col items-start gap-2">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {aside ? <div className="flex flex-col items-start gap-2 text-xs text-ink-soft">{aside}</div> : null}
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
