"use client";

import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { useNow } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";
import { managedFieldsQuery } from "#lib/queries/objects/managed-fields-query.ts";

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
