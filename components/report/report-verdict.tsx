import { clsx } from "clsx";
import { ResourceVersion } from "#components/crd/resource-version.tsx";
import { formatCountOf } from "#components/ui/format-count.ts";
import type { ReportVerdict as Verdict } from "#lib/domain/report-verdict.ts";
import { Stamp } from "./stamp.tsx";

const edges: Record<Verdict["state"], string> = {
  proven: "border-good bg-good-wash",
  replaced: "border-line-strong bg-sunken",
  "not-proven": "border-blocked bg-blocked-wash",
  "at-work": "border-working bg-working-wash",
};

const titles: Record<Verdict["state"], string> = {
  proven: "Proven",
  replaced: "Proven then; a later proof has taken its place",
  "not-proven": "Not proven",
  "at-work": "Not proven yet",
};

/** What the whole report comes to. */
export function ReportVerdict({ verdict }: { verdict: Verdict }) {
  const isVoid = verdict.state === "proven" && verdict.invalidBecause !== null;
  return (
    <section
      aria-label="Verdict"
      className={clsx("mb-6 break-inside-avoid border-l-2 px-4 py-3", isVoid ? "border-warning bg-warning-wash" : edges[verdict.state])}
    >
      <p className="text-[15px] leading-6 font-medium">{isVoid ? "Proven, and void since" : titles[verdict.state]}</p>
      {verdict.state === "proven" ? (
        <p>
          {verdict.proof.objects === 1
            ? `The one object ${isVoid ? "was" : "is"}`
            : `All ${formatCountOf(verdict.proof.objects, "object")} ${isVoid ? "were" : "are"}`}{" "}
          stored as <span className="font-mono">{verdict.proof.storageVersion}</span>: proven <Stamp at={verdict.proof.provenAt} />,
          verified at resourceVersion <ResourceVersion value={verdict.proof.verifiedResourceVersion} />.
        </p>
      ) : (
        <p dir="auto" className="[overflow-wrap:anywhere]">
          {verdict.because}
        </p>
      )}
      {verdict.state === "proven" && verdict.invalidBecause ? <p>It does not hold: {verdict.invalidBecause}.</p> : null}
    </section>
  );
}
