import { useId } from "react";
import { fieldClass } from "#components/ui/field-class.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";

/** Chooses the version that objects are shown at: the API server converts them. */
export function VersionSelect({ crd, version, onChange }: { crd: CrdDetail; version: string; onChange: (version: string) => void }) {
  const id = useId();
  const served = crd.versions.filter((one) => one.served);
  return (
    <div className="flex items-center gap-2 text-sm">
      <label htmlFor={id} className="text-ink-soft">
        As
      </label>
      <select
        id={id}
        value={version}
        onChange={(event) => onChange(event.target.value)}
        className={`${fieldClass} max-w-64 truncate font-mono`}
      >
        {served.some(({ name }) => name === version) ? null : <option value={version}>{version} (not served)</option>}
        {served.map(({ name }) => (
          <option key={name} value={name}>
            {name}
            {name === crd.storageVersion ? " ◆ storage" : ""}
          </option>
        ))}
      </select>
    </div>
  );
}
