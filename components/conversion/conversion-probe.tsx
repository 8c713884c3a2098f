"use client";

import { useQuery } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { formatDuration } from "#components/ui/format-duration.ts";
import { useNow } from "#components/ui/use-now.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { unservedBecause } from "#lib/domain/unserved-because.ts";
import { conversionProbeQuery } from "#lib/queries/conversion-queries.ts";
import { serverNow } from "#lib/queries/server-contact.ts";
import { probeMeaning } from "./probe-meaning.ts";
import { ProbeTable } from "./probe-table.tsx";

/** Asks for one object at each served version when a person wants to know, and says what that shows. */
export function ConversionProbe({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error, isFetching, refetch } = useQuery(conversionProbeQuery(cluster, crd.name, crd.generation));
  const now = useNow(5_000, serverNow);
  if (unservedBecause(crd) !== null || !crd.versions.some(({ served }) => served)) {
    return <p className="text-sm text-ink-soft">No version is served, so none can be tried.</p>;
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <Button onClick={() => refetch()} disabled={isFetching}>
          {isFetching ? "Probing…" : data ? "Probe again" : crd.versions.length > 1 ? "Probe conversion" : "Probe reading"}
        </Button>
        <p className="text-ink-soft">
          {data && !isFetching
            ? `probed ${formatDuration(now - Date.parse(data.asOf))} ago`
            : "Asks for one object at each served version; writes nothing."}
        </p>
        <span role="status" className="sr-only">
          {isFetching ? "Probing" : data ? "Probed" : ""}
        </span>
      </div>
      {error && !isFetching ? <ApiErrorNotice error={error} /> : null}
      {data ? (
        <>
          <ProbeTable probe={data} />
          <p className="max-w-3xl text-xs text-ink-soft">{probeMeaning(data, crd.conversion)}</p>
        </>
      ) : null}
    </div>
  );
}
