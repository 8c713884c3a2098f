import { useId } from "react";
import { fieldClass } from "#components/ui/form.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

/** Selects the version to show objects at; the API server converts them. */
export function VersionSelect({ crd, version, onChange }: { crd: CrdDetail; version: string; onChange: (version: string) => void }) {
  return <ServedVersionSelect label="Version" crd={crd} value={version} onChange={onChange} />;
}

interface Props {
  label: string;
  crd: CrdDetail;
  /** The selected version, served or not; empty for none. */
  value: string;
  /** A version to leave out. */
  except?: string;
  /** The label of the empty option; if omitted, there is none. */
  none?: string;
  onChange: (version: string) => void;
}

/** Selects a served version; the selected one stays in the list even if it is not served. */
export function ServedVersionSelect({ label, crd, value, except, none, onChange }: Props) {
  const id = useId();
  const offered = crd.versions.filter(({ name, served }) => served && name !== except);
  return (
    <div className="flex items-center gap-2 text-sm">
      <label htmlFor={id} className="text-ink-soft">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${fieldClass} max-w-64 truncate font-mono`}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {value === "" || offered.some(({ name }) => name === value) ? null : <option value={value}>{value} (not served)</option>}
        {offered.map(({ name }) => (
          <option key={name} value={name}>
            {name}
            {name === crd.storageVersion ? " ◆ storage" : ""}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The version to show objects at: the requested one, else the storage version if served, else the preferred one. */
export function shownVersion(
  crd: Pick<CrdDetail, "versions" | "storageVersion" | "preferredVersion">,
  asked: string | null,
): string | null {
  if (asked !== null) return asked;
  const storage = crd.versions.find(({ name }) => name === crd.storageVersion);
  return storage?.served ? storage.name : crd.preferredVersion;
}
