import { useId } from "react";
import { fieldClass } from "#components/ui/menu-class.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

interface Props {
  label: string;
  crd: CrdDetail;
  /** The version that is chosen, served or not; empty for none. */
  value: string;
  /** A version that is not offered. */
  except?: string;
  /** What stands for no version; without it one has to be chosen. */
  none?: string;
  onChange: (version: string) => void;
}

/** Chooses a served version; one that is chosen already stays on offer when it is not served. */
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
