import { useId } from "react";
import { fieldClass } from "#components/ui/menu-class.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

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
