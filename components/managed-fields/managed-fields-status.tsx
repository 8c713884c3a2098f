"use client";

import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/form/button.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { Time, useNow } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";
import { managedFieldsQuery } from "#lib/queries/objects/object-queries.ts";

/** The count's progress and age. It runs only on request, since it reads every object's metadata. */
export function ManagedFieldsStatus(props: { cluster: string; crd: CrdDetail; counts: UseQueryResult<ManagedFields> }) {
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = props.counts;
  const stop = () => client.cancelQueries({ queryKey: managedFieldsQuery(props.cluster, props.crd.name).queryKey }, { revert: false });
  return (
    <div className="flex flex-col items-start gap-2">
      {data ? <Basis counts={data} counting={isFetching} /> : isFetching ? <p>Counting…</p> : <p>Not counted yet.</p>}
      {isFetching && data && !data.complete ? (
        <ProgressBar label="Objects checked for managedFields" done={data.scanned} total={data.total} className="w-36" />
      ) : null}
      {error && !isFetching ? <ApiErrorNotice error={error} /> : null}
      {isFetching ? (
        <Button onClick={stop}>Stop counting</Button>
      ) : (
        <Button onClick={() => refetch()}>{data ? "Recount" : "Count managed fields"}</Button>
      )}
    </div>
  );
}

function Basis({ counts, counting }: { counts: ManagedFields; counting: boolean }) {
  const now = useNow(5_000, serverNow);
  if (!counts.complete) {
    return (
      <p>
        {formatCount(counts.scanned)} of {counts.total === null ? "an unknown number" : formatCount(counts.total)} checked
        {counting ? "" : ", stopped"}
      </p>
    );
  }
  return (
    <p>
      <span className="text-sm font-medium text-ink">{formatCountOf(counts.scanned, "object")}</span>
      <br />
      counted {formatDuration(now - Date.parse(counts.asOf))} ago
    </p>
  );
}

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
