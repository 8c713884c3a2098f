import { clsx } from "clsx";
import { useId } from "react";
import { ChoiceField, fieldClass } from "#components/ui/form.tsx";
import type { CrdVersion } from "#lib/contract/definition/crd.ts";
import type { VersionChangeBody, VersionChangePreview } from "#lib/contract/definition/version-change.ts";

/** A version's flags as a form holds them. */
export interface VersionFlags {
  served: boolean;
  storage: boolean;
  deprecated: boolean;
  /** The custom warning; empty for the API server's default. */
  warning: string;
}

export function flagsOf(version: CrdVersion): VersionFlags {
  const { served, storage, deprecated, customWarning } = version;
  return { served, storage, deprecated, warning: customWarning ?? "" };
}

/** The change from one set of flags to the other; null if they are equal. */
export function changeBetween(before: VersionFlags, after: VersionFlags): Omit<VersionChangeBody, "expectedGeneration"> | null {
  const change: Omit<VersionChangeBody, "expectedGeneration"> = {};
  if (before.served !== after.served) change.served = after.served;
  if (!before.storage && after.storage) change.storage = true;
  if (before.deprecated !== after.deprecated) change.deprecated = after.deprecated;
  // Only a deprecated version has a warning text; the text goes with the flag.
  if (after.deprecated && before.warning !== after.warning) change.deprecationWarning = after.warning || null;
  return Object.keys(change).length > 0 ? change : null;
}

/** A version's changed flags as YAML of its definition, without schemas; two entries for a flip, which changes two versions. */
export function sourceLines(versions: readonly CrdVersion[], name: string, flags: VersionFlags): string {
  const former = flags.storage ? versions.find((version) => version.storage && version.name !== name) : undefined;
  const entries = [entryLines(name, flags), ...(former ? [entryLines(former.name, { ...flagsOf(former), storage: false })] : [])];
  return ["spec:", "  versions:", ...entries.flat()].join("\n");
}

function entryLines(name: string, { served, storage, deprecated, warning }: VersionFlags): string[] {
  return [
    ...[`  - name: ${name}`, `    served: ${served}`, `    storage: ${storage}`],
    ...(deprecated ? ["    deprecated: true", ...(warning ? [`    deprecationWarning: ${JSON.stringify(warning)}`] : [])] : []),
  ];
}

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
