import { Button, buttonClass } from "#components/ui/button.tsx";
import type { RewriteReport } from "#lib/domain/report.ts";
import { Stamp } from "./stamp.tsx";

/** What it is a report of, as of when, and how to keep it. */
export function ReportHeading({ report, plural, jsonPath }: { report: RewriteReport; plural: string; jsonPath: string }) {
  const { run, definition, madeAt, madeWith, asOf } = report;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 pt-2 pb-6">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
          Report on the rewrite of {plural} to <span className="font-mono">{definition.storageVersion}</span>
        </h1>
        <p className="pt-2 text-sm [overflow-wrap:anywhere] text-ink-soft">
          Run <span className="font-mono text-xs">{run.id}</span>. Made <Stamp at={madeAt} /> by crdshift {madeWith}, from the definition's
          annotation as it was written <Stamp at={asOf} />.
        </p>
      </div>
      <div className="flex flex-wrap gap-2 print:hidden">
        <Button onClick={() => window.print()}>Print</Button>
        <a href={jsonPath} className={buttonClass("quiet")}>
          As JSON
        </a>
      </div>
    </div>
  );
}
