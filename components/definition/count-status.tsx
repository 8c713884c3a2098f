"use client";

import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { useNow } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ObjectCounts } from "#lib/contract/objects/object-counts.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";
import { objectCountsQuery } from "#lib/queries/objects/object-counts-query.ts";

/** The object count, its progress and its age. */
export function CountStatus({ cluster, crd, counts }: { cluster: string; crd: CrdDetail; counts: UseQueryResult<ObjectCounts> }) {
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = counts;
  const cancel = () => client.cancelQueries({ queryKey: objectCountsQuery(cluster, crd.name).queryKey }, { revert: false });
  return (
    <div className="flex min-h-24 flex-col items-start gap-2">
      {data ? <Total counts={data} counting={isFetching} /> : isFetching ? <p>Counting objects…</p> : null}
      {data?.etcd ? <EtcdReading etcd={data.etcd} counting={isFetching} /> : null}
      {data?.message && data.total !== null ? (
        <p dir="auto" className="[overflow-wrap:anywhere] text-ink">
          {data.message}
        </p>
      ) : null}
      {isFetching && data && !data.complete && (!data.etcd || data.etcd.read === data.etcd.total) ? (
        <ProgressBar label="Objects counted" done={data.scanned} total={data.total} className="w-36" />
      ) : null}
      {data?.basis === "denied" ? (
        <p className="[overflow-wrap:anywhere] text-ink">
          Ask for a role with the list verb on {crd.plural} in {crd.group}.
        </p>
      ) : null}
      {error && !isFetching ? <ApiErrorNotice error={error} /> : null}
      {isFetching ? <Button onClick={cancel}>Stop counting</Button> : <Button onClick={() => refetch()}>Recount</Button>}
    </div>
  );
}

function EtcdReading({ etcd, counting }: { etcd: NonNullable<ObjectCounts["etcd"]>; counting: boolean }) {
  const now = useNow(5_000, serverNow);
  if (etcd.read === etcd.total) return <p>read from etcd {formatDuration(now - Date.parse(etcd.asOf))} ago</p>;
  return (
    <>
      <p>
        {formatCount(etcd.read)} of {formatCount(etcd.total)} read from etcd{counting ? "" : ", stopped"}
      </p>
      {counting ? <ProgressBar label="Objects read from etcd" done={etcd.read} total={etcd.total} className="w-36" /> : null}
    </>
  );
}

function Total({ counts, counting }: { counts: ObjectCounts; counting: boolean }) {
  const now = useNow(5_000, serverNow);
  const age = formatDuration(now - Date.parse(counts.asOf));
  if (counts.total === null) {
    return (
      <p dir="auto" className="[overflow-wrap:anywhere]">
        <span className="text-sm font-medium text-ink">Objects: {counts.basis === "list" ? "unknown" : counts.basis}</span>
        <br />
        {counts.message}
      </p>
    );
  }
  return (
    <p>
      <span className="text-sm font-medium text-ink">
        {counts.basis === "metrics" ? "≈ " : ""}
        {formatCountOf(counts.total, "object")}
      </span>
      <br />
      {counts.complete ? (
        `counted ${age} ago`
      ) : (
        <>
          {formatCount(counts.scanned)} counted{counting ? "" : ", stopped"}
        </>
      )}
    </p>
  );
}
