import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { ServedVersionSelect } from "./served-version-select.tsx";

/** Selects the version to show objects at; the API server converts them. */
export function VersionSelect({ crd, version, onChange }: { crd: CrdDetail; version: string; onChange: (version: string) => void }) {
  return <ServedVersionSelect label="Version" crd={crd} value={version} onChange={onChange} />;
}
