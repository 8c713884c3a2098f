import type { Preflight } from "#lib/contract/preflight.ts";
import { dryRunVerdict } from "./dry-run-verdict.ts";

/** Tells screen readers when the dry run has ended and how, and of nothing more often. */
export function DryRunAnnouncer({ preflight }: { preflight: Preflight }) {
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {dryRunVerdict(preflight)?.sentences.join(" ") ?? "The dry run is at work."}
    </p>
  );
}
