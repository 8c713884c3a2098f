import { clsx } from "clsx";
import { useId } from "react";
import { ChoiceField } from "#components/ui/choice-field.tsx";
import { fieldClass } from "#components/ui/field-class.ts";
import type { CrdVersion } from "#lib/contract/crd.ts";
import type { VersionChangePreview } from "#lib/contract/version-change.ts";
import type { VersionFlags } from "./version-flags.ts";

interface Props {
  version: CrdVersion;
  flags: VersionFlags;
  onChange: (change: Partial<VersionFlags>) => void;
  rejection: VersionChangePreview["rejection"];
}

/** The four fields of a version that can be changed, each with what the API server says against it. */
export function FlagFields({ version, flags, onChange, rejection }: Props) {
  const warningId = useId();
  const against = (flag: string) => rejection?.fields.find(({ field }) => field.endsWith(`.${flag}`))?.message;
  const warningProblem = against("deprecationWarning");
  return (
    <div className="flex flex-col gap-3">
      <ChoiceField type="checkbox" label="Served" checked={flags.served} onChange={(served) => onChange({ served })}>
        {against("served") ?? "Clients can read and write objects at this version."}
      </ChoiceField>
      <ChoiceField
        type="checkbox"
        label="Storage version"
        checked={flags.storage}
        disabled={version.storage}
        onChange={(storage) => onChange({ storage })}
      >
        {against("storage") ??
          (version.storage
            ? "Objects are stored as this version. To move on, make another one the storage version."
            : "Objects are stored as this version when they are written.")}
      </ChoiceField>
      <ChoiceField type="checkbox" label="Deprecated" checked={flags.deprecated} onChange={(deprecated) => onChange({ deprecated })}>
        {against("deprecated") ?? "Each answer at this version carries a warning, which kubectl shows."}
      </ChoiceField>
      <div className={clsx("flex flex-col gap-1 pl-5.5", !flags.deprecated && "text-ink-faint")}>
        <label htmlFor={warningId} className="text-sm font-medium">
          Warning text
        </label>
        <input
          id={warningId}
          value={flags.deprecated ? flags.warning : ""}
          disabled={!flags.deprecated}
          onChange={(event) => onChange({ warning: event.target.value })}
          placeholder="the API server's own"
          autoComplete="off"
          maxLength={256}
          aria-invalid={warningProblem !== undefined}
          aria-describedby={warningProblem ? `${warningId}-problem` : undefined}
          className={`${fieldClass} w-full`}
        />
        {warningProblem ? (
          <p id={`${warningId}-problem`} className="text-xs text-blocked [overflow-wrap:anywhere]">
            {warningProblem}
          </p>
        ) : null}
      </div>
    </div>
  );
}
