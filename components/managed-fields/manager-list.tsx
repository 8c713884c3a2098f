"use client";

import { Time, useNow } from "#components/ui/time.tsx";
import type { ManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

type Version = ManagedFields["versions"][number];

/** The managers whose entries name a version, each with its object count and last write. */
export function ManagerList({ version: { version, managers, moreManagers } }: { version: Version }) {
  const now = useNow(5_000, serverNow);
  return (
    <ul aria-label={`Managers of ${version}`} className="flex flex-col gap-0.5">
      {managers.map(({ manager, operation, subresource, objects, lastWrite }) => (
        <li key={`${manager} ${operation} ${subresource}`} className="flex flex-wrap gap-x-2">
          <span className="font-mono text-xs leading-5 [overflow-wrap:anywhere]">{manager || "(no name)"}</span>
          <span className="text-ink-soft">
            {operation}
            {subresource ? ` on /${subresource}` : ""} · {formatCount(objects)} ·{" "}
            {lastWrite ? (
              <>
                last {formatDuration(now - Date.parse(lastWrite))} ago (<Time at={lastWrite} />)
              </>
            ) : (
              "no time recorded"
            )}
          </span>
        </li>
      ))}
      {moreManagers > 0 ? <li className="text-ink-soft">and {formatCountOf(moreManagers, "more manager")}</li> : null}
    </ul>
  );
}
