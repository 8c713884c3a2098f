import { clsx } from "clsx";
import { useId } from "react";
import { ChoiceField, fieldClass } from "#components/ui/form.tsx";
import type { CrdVersion } from "#lib/contract/definition/crd.ts";
import type { VersionChangePreview } from "#lib/contract/definition/version-change.ts";
import type { VersionFlags } from "./version-flags.ts";

interface WarningFieldProps {
  flags: VersionFlags;
  onChange: (change: Partial<VersionFlags>) => void;
  rejection: VersionChangePreview["rejection"];
}

/** The four editable fields of a version, each with the API server's objection, if any. */
export function FlagFields({ version, flags, onChange, rejection }: WarningFieldProps & { version: CrdVersion }) {
  return (
    <div className="flex flex-col gap-3">
      <ChoiceField type="checkbox" label="Served" checked={flags.served} onChange={(served) => onChange({ served })}>
        {objectionTo("served", rejection) ?? "Clients can read and write objects at this version."}
      </ChoiceField>
      <ChoiceField
        type="checkbox"
        label="Storage version"
        checked={flags.storage}
        disabled={version.storage}
        onChange={(storage) => onChange({ storage })}
      >
        {objectionTo("storage", rejection) ??
          (version.storage
            ? "Objects are stored as this version when they are written. To change that, make another version the storage version."
            : "Objects are stored as this version when they are written.")}
      </ChoiceField>
      <ChoiceField type="checkbox" label="Deprecated" checked={flags.deprecated} onChange={(deprecated) => onChange({ deprecated })}>
        {objectionTo("deprecated", rejection) ?? "Responses at this version come with a warning, which kubectl shows."}
      </ChoiceField>
      <div className={clsx("pl-5.5", !flags.deprecated && "text-ink-faint")}>
        <WarningField flags={flags} onChange={onChange} rejection={rejection} />
      </div>
    </div>
  );
}

/** The text of a deprecated version's warning. */
export function WarningField({ flags, onChange, rejection }: WarningFieldProps) {
  const id = useId();
  const problem = objectionTo("deprecationWarning", rejection);
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        Warning text
      </label>
      <input
        id={id}
        value={flags.deprecated ? flags.warning : ""}
        disabled={!flags.deprecated}
        onChange={(event) => onChange({ warning: event.target.value })}
        placeholder="default warning"
        autoComplete="off"
        maxLength={256}
        aria-invalid={problem !== undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        className={`${fieldClass} w-full`}
      />
      {problem ? (
        <p id={`${id}-problem`} className="text-xs text-blocked [overflow-wrap:anywhere]">
          {problem}
        </p>
      ) : null}
    </div>
  );
}

function objectionTo(flag: string, rejection: VersionChangePreview["rejection"]): string | undefined {
  return rejection?.fields.find(({ field }) => field.endsWith(`.${flag}`))?.message;
}
