import { Notice } from "#components/ui/notice.tsx";
import type { CrdSummary } from "#lib/contract/crd.ts";
import { type RecognisedError, recogniseApiError } from "./recognise-api-error.ts";

/** Says what a pasted API server error was understood as. */
export function RecognisedErrorNote({ text, crds }: { text: string; crds: CrdSummary[] | null }) {
  const error = recogniseApiError(text);
  if (!error || !crds) return null;
  const meant = error.crd === null ? null : (crds.find((crd) => crd.name === error.crd) ?? null);
  return (
    <div className="pb-2">
      <Notice tone="neutral" role="status" title="Recognised an error of the API server">
        <p>{explanation(error, meant)}</p>
      </Notice>
    </div>
  );
}

function explanation(error: RecognisedError, crd: CrdSummary | null): string {
  const versions = error.versions.join(", ");
  if (error.crd === null) {
    return `It refuses to drop ${versions} while status.storedVersions lists it. Shown are the definitions with that leftover version.`;
  }
  if (crd === null) return `It is about ${error.crd}, which this cluster does not have. Is it from another cluster?`;
  if (error.versions.length === 0) return `It is about ${error.crd}.`;
  const left = error.versions.filter((version) => crd.leftoverVersions.includes(version));
  if (left.length > 0) return `${error.crd} still lists ${left.join(", ")} in status.storedVersions. Rewrite its objects, then prune.`;
  return `${error.crd} no longer has ${versions} as a leftover version; the error may be out of date.`;
}
