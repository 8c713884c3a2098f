import type { CrdDetail } from "#lib/contract/crd.ts";
import { ServedVersionSelect } from "./served-version-select.tsx";

interface Props {
  crd: CrdDetail;
  /** The version that is shown anyway. */
  version: string;
  beside: string | null;
  onChange: (beside: string | null) => void;
}

/** Chooses a second version to show the object at; nothing where there is no other. */
export function BesideSelect({ crd, version, beside, onChange }: Props) {
  const hasOther = crd.versions.some(({ name, served }) => served && name !== version);
  if (!hasOther && beside === null) return null;
  return (
    <ServedVersionSelect
      label="Beside"
      crd={crd}
      value={beside ?? ""}
      except={version}
      none="nothing"
      onChange={(chosen) => onChange(chosen || null)}
    />
  );
}
