import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { ServedVersionSelect } from "./served-version-select.tsx";

/** Chooses the version that objects are shown at: the API server converts them. */
export function VersionSelect({ crd, version, onChange }: { crd: CrdDetail; version: string; onChange: (version: string) => void }) {
  return <ServedVersionSelect label="As" crd={crd} value={version} onChange={onChange} />;
}
