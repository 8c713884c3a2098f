import { Hint } from "#components/ui/hint.tsx";
import type { VersionCount } from "#lib/contract/objects/object-counts.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";

type Stored = VersionCount["stored"];

/** How many objects may be stored in a version, no more exact than known. `isOvertaken`: the definition has changed since. */
export function StoredBounds({ stored, isOvertaken }: { stored: Stored; isOvertaken: boolean }) {
  return (
    <Hint text={isOvertaken ? OVERTAKEN : basisText(stored)} className="min-w-32 text-right max-md:text-left">
      {boundsText(stored)}
      <span className="block text-[11px] leading-3 text-ink-faint">{isOvertaken ? "before a change" : basisWord(stored)}</span>
    </Hint>
  );
}

const OVERTAKEN = "Counted when something else was known of the definition. Recount to see what is known now.";

function boundsText({ atLeast, atMost }: Stored): string {
  if (atLeast === null && atMost === null) return "unknown";
  if (atMost === null) return `${formatCount(atLeast ?? 0)} or more`;
  if (atLeast === atMost) return formatCount(atMost);
  return `${formatCount(atLeast ?? 0)} – ${formatCount(atMost)}`;
}

function basisWord(stored: Stored): string {
  if (stored.atLeast === null && stored.atMost === null) return "";
  switch (stored.basis) {
    case "proof":
      return "✓ proven";
    case "etcd":
      return stored.atLeast === stored.atMost ? "✓ read from etcd" : "bounds from etcd";
    case "settle-point":
      return "bounds";
    case "declared":
      return "listed, not verified";
    case "none":
      return "could be any";
    default:
      return stored.basis satisfies never;
  }
}

function basisText(stored: Stored): string {
  if (stored.atLeast === null && stored.atMost === null) return "Unknown, which doesn't mean zero.";
  switch (stored.basis) {
    case "proof":
      return "Exact. A rewrite verified every object, and the definition hasn't changed since.";
    case "etcd":
      return stored.atLeast === stored.atMost
        ? "Exact. Read from etcd, where each object's value names its stored version."
        : "Read from etcd. The rest is unread, encrypted, or in a format that doesn't name its version.";
    case "settle-point":
      return "Objects written after the settle point are stored at the storage version; the others may be at any stored version.";
    case "declared":
      return "status.storedVersions lists only this version. Nothing has verified it.";
    case "none":
      return "The API server doesn't say how objects are stored: anywhere from none to all of them may be in this version.";
    default:
      return stored.basis satisfies never;
  }
}
