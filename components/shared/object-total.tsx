"use client";

import { clsx } from "clsx";
import { Hint } from "#components/ui/hint.tsx";
import type { ObjectTotal as Total } from "#lib/contract/definition/crd.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";
import { useServerNow } from "./use-server-now.ts";

/** Beyond this age, a total shows how old it is. */
const OLD_AFTER_MS = 10 * 60_000;

/** The number of objects; the hint says where it comes from. */
export function ObjectTotal({ objects }: { objects: Total }) {
  const now = useServerNow(60_000);
  const ageMs = objects.asOf === null ? null : now - Date.parse(objects.asOf);
  const old = objects.total !== null && ageMs !== null && ageMs > OLD_AFTER_MS;
  return (
    <Hint text={<TotalBasis objects={objects} />} className={clsx("text-right tabular-nums", textColor(objects))}>
      {totalText(objects)}
      {old ? <span className="block text-[11px] leading-3 text-ink-faint">{formatDuration(ageMs)} ago</span> : null}
    </Hint>
  );
}

/** The total as text. Zero, approximate, unknown, denied and failed all read differently. */
export function totalText(objects: Total): string {
  switch (objects.basis) {
    case "list":
      return objects.total === null ? "unknown" : formatCount(objects.total);
    case "metrics":
      return objects.total === null ? "unknown" : `≈ ${formatCount(objects.total)}`;
    case "denied":
      return "denied";
    case "failed":
      return "failed";
    case "unknown":
      return "unknown";
    default:
      return objects.basis satisfies never;
  }
}

function textColor(objects: Total): string {
  if (objects.basis === "failed") return "text-blocked";
  if (objects.basis === "denied") return "text-warning";
  return objects.total === null ? "text-ink-faint italic" : "";
}

function TotalBasis({ objects }: { objects: Total }) {
  return (
    <span className="flex flex-col gap-1">
      <span>{basisText(objects)}</span>
      {objects.asOf === null ? null : (
        <span className="text-ink-soft">Seen {formatDuration(serverNow() - Date.parse(objects.asOf))} ago.</span>
      )}
      {objects.message ? (
        <span dir="auto" className="font-mono [overflow-wrap:anywhere] text-ink-soft">
          {objects.message}
        </span>
      ) : null}
    </span>
  );
}

function basisText(objects: Total): string {
  switch (objects.basis) {
    case "list":
      return "Counted by listing the objects.";
    case "metrics":
      return "Approximate. From the API server's metrics, which lag by minutes.";
    case "denied":
      return "You can't list these objects. Ask for a role with the list verb on them.";
    case "failed":
      return "Couldn't list these objects.";
    case "unknown":
      return objects.message ? "Couldn't count these objects." : "Not counted yet.";
    default:
      return objects.basis satisfies never;
  }
}
