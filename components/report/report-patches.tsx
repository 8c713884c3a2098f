import { formatCount } from "#components/ui/format-count.ts";
import { Section } from "#components/ui/section.tsx";
import type { RewriteReport } from "#lib/domain/report.ts";
import type { PatchPurpose } from "#lib/domain/sent-patches.ts";

type SentPatch = RewriteReport["patches"][number];

const words: Record<PatchPurpose, string> = {
  rewrite: "to rewrite",
  verify: "to verify, under the resourceVersion that was listed",
  status: "through /status, where the object itself was rejected",
  ownership: "to carry managedFields over, under a test of the resourceVersion",
  dryRun: "as dry runs, which store nothing",
};

/** Every kind of patch that a run may send to objects, as it is sent, and how many there were. */
export function ReportPatches({ report }: { report: RewriteReport }) {
  return (
    <Section
      title="Patches sent"
      aside={
        <p>
          To objects, tries that failed among them. No object's spec is in any of them.
          {report.run.delegation ? " Those of the cluster's own engine are its own and not known here." : ""}
        </p>
      }
    >
      <ul aria-label="Patches sent" className="flex max-w-4xl flex-col divide-y divide-line">
        {report.patches.map((patch) => (
          <li key={patch.purpose} className="break-inside-avoid py-2 first:pt-0">
            <p className="text-sm">
              <span className="font-medium">{countOf(patch)}</span> <span className="text-ink-soft">{words[patch.purpose]}</span>
            </p>
            <p className="font-mono text-xs leading-5 [overflow-wrap:anywhere]">
              {patch.method} {patch.path}
            </p>
            <p className="font-mono text-xs leading-5 [overflow-wrap:anywhere] text-ink-soft">
              {patch.contentType} {patch.body}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function countOf({ count, atLeast }: SentPatch): string {
  if (count === null) return "An unknown number";
  return atLeast ? `At least ${formatCount(count)}` : formatCount(count);
}
