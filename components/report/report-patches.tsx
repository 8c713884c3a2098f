import { Section } from "#components/ui/section.tsx";
import type { RewriteReport } from "#lib/domain/audit/report.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";

type SentPatch = RewriteReport["patches"][number];

const words: Record<PatchPurpose, string> = {
  rewrite: "to rewrite",
  verify: "to verify",
  status: "through /status, after the object itself was rejected",
  ownership: "to carry managedFields over, with a test of the resourceVersion",
  dryRun: "as dry runs, which store nothing",
};

/** Every kind of patch that the run sent to objects, in full, with its count. */
export function ReportPatches({ report }: { report: RewriteReport }) {
  const { patches, run } = report;
  const sent = patches.flatMap((patch) => (patch.count ? [{ ...patch, count: patch.count }] : []));
  return (
    <Section
      title="Patches sent"
      aside={
        <p>
          To objects, failed attempts included. None sets a field of an object's spec.{" "}
          {sent.some(({ tested }) => tested !== false)
            ? `${whileConverted(sent)}, patches tested that the object's fields were as crdshift read them, and so contained their values.`
            : ""}
          {run.delegation ? " Patches from the cluster's own engine are not included." : ""}
        </p>
      }
    >
      {sent.length > 0 ? (
        <ul aria-label="Patches sent" className="flex max-w-4xl flex-col divide-y divide-line">
          {sent.map((patch) => (
            <Sent key={patch.purpose} patch={patch} />
          ))}
        </ul>
      ) : (
        <p className="text-sm">{noneWords(patches)}</p>
      )}
    </Section>
  );
}

function Sent({ patch }: { patch: SentPatch & { count: number } }) {
  return (
    <li className="break-inside-avoid py-2 first:pt-0">
      <p className="text-sm">
        <span className="font-medium">{`${patch.atLeast ? "At least " : ""}${formatCount(patch.count)}`}</span>{" "}
        <span className="text-ink-soft">{words[patch.purpose]}</span>
      </p>
      <p className="font-mono text-xs leading-5 [overflow-wrap:anywhere]">
        {patch.method} {patch.path}
      </p>
      <p className="font-mono text-xs leading-5 [overflow-wrap:anywhere] text-ink-soft">
        {patch.contentType} {patch.body}
      </p>
      {patch.testedBody === null ? null : (
        <p className="font-mono text-xs leading-5 [overflow-wrap:anywhere] text-ink-soft">
          <span className="font-sans">or, {whileConverted([patch]).toLowerCase()}, </span>
          application/json-patch+json {patch.testedBody}
        </p>
      )}
    </li>
  );
}

// An older crdshift didn't record it, and nothing else does: the webhook may have been dropped since.
function whileConverted(patches: readonly Pick<SentPatch, "tested">[]): string {
  return patches.some(({ tested }) => tested === true) ? "While a webhook converted" : "If a webhook converted then";
}

function noneWords(patches: readonly SentPatch[]): string {
  if (patches.some(({ count }) => count === null)) return "The number is not on record.";
  return patches.some(({ atLeast }) => atLeast) ? "None on record; there may have been some." : "None.";
}
