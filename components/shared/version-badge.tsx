import { clsx } from "clsx";
import type { CrdVersion } from "#lib/contract/definition/crd.ts";

/** A version's name with a mark for each of its facts; screen readers get the facts as text. */
export function VersionBadge({ version, preferredVersion }: { version: CrdVersion; preferredVersion: string | null }) {
  return (
    <span
      className={clsx(
        "inline-flex h-5 min-w-0 items-center gap-1 rounded border px-1.5 font-mono text-xs whitespace-nowrap",
        version.storage ? "border-line-strong text-ink" : "border-line text-ink-soft",
      )}
    >
      <span className={clsx("max-w-40 truncate", !version.served && "line-through decoration-1")}>{version.name}</span>
      {version.storage ? <VersionSign sign="◆" /> : null}
      {version.name === preferredVersion ? <VersionSign sign="★" /> : null}
      {version.deprecated ? <VersionSign sign="⚠" className="text-warning" /> : null}
      <span className="sr-only">({versionFacts(version, preferredVersion).join(", ")})</span>
    </span>
  );
}

function VersionSign({ sign, className }: { sign: string; className?: string }) {
  return (
    <span aria-hidden className={clsx("font-sans text-[11px] leading-none", className)}>
      {sign}
    </span>
  );
}

/** The legend for version badges. */
export function VersionLegend() {
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
      {legend.map(({ sign, meaning }) => (
        <div key={meaning} className="flex items-center gap-1.5">
          <dt className={clsx(sign === "v1" && "font-mono line-through")}>{sign}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

const legend = [
  { sign: "◆", meaning: "storage" },
  { sign: "★", meaning: "preferred" },
  { sign: "v1", meaning: "not served" },
  { sign: "⚠", meaning: "deprecated" },
];

/** The facts about a version as text; each is independent of the others. */
export function versionFacts(version: CrdVersion, preferredVersion: string | null): string[] {
  return [
    ...(version.storage ? ["storage version"] : []),
    ...(version.name === preferredVersion ? ["preferred"] : []),
    version.served ? "served" : "not served",
    ...(version.deprecated ? ["deprecated"] : []),
  ];
}

/** Up to three versions by name, or just how many. */
export function nameVersions(versions: readonly string[]): string {
  return versions.length <= 3 ? versions.join(", ") : `${versions.length} versions`;
}
