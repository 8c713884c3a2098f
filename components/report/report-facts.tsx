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

/** A time with its date, in UTC, because a printed page has no day or time zone. */
export function Stamp({ at }: { at: string }) {
  return (
    <time dateTime={at} className="whitespace-nowrap">
      {stampText(at)}
    </time>
  );
}

/** A time with its date, in UTC; text that is no time, or is outside the years 0 to 9999, stays as it is. */
export function stampText(at: string): string {
  const moment = new Date(at);
  const text = Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
  // toISOString writes other years with a sign and six digits.
  return /^\d{4}-/.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 19)} UTC` : at;
}
