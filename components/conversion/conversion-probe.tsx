"use client";

import { useQuery } from "@tanstack/react-query";
import { Ago } from "#components/shared/ago.tsx";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { Button } from "#components/ui/form.tsx";
import { DataCell, DataTable } from "#components/ui/table.tsx";
import type { ConversionProbe as Probe } from "#lib/contract/definition/conversion.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { whyNothingServed } from "#lib/domain/definition/stored-versions.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { conversionProbeQuery } from "#lib/queries/definition/crd-queries.ts";

/** On request, reads one object at each served version and explains the result. */
export function ConversionProbe({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error, isFetching, refetch } = useQuery(conversionProbeQuery(cluster, crd.name, crd.generation));
  if (whyNothingServed(crd) !== null || !crd.versions.some(({ served }) => served)) {
    return <p className="text-sm text-ink-soft">No version is served, so there is nothing to probe.</p>;
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <Button onClick={() => refetch()} disabled={isFetching}>
          {isFetching ? "Probing…" : data ? "Probe again" : crd.versions.length > 1 ? "Probe conversion" : "Probe reading"}
        </Button>
        <p className="text-ink-soft">
          {data && !isFetching ? (
            <>
              probed <Ago at={data.asOf} />
            </>
          ) : (
            "Reads one object at each served version. Writes nothing."
          )}
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

type Probed = Probe["versions"][number];

const columns = [
  { name: "Version" },
  { name: "List", numeric: true, hint: "Duration of a list with limit=1" },
  { name: "Get", numeric: true, hint: "Duration of reading the same object by name" },
  { name: "Answer" },
];

/** What each served version answered, and how quickly. */
function ProbeTable({ probe }: { probe: Probe }) {
  return (
    <div className="w-full max-w-3xl">
      <DataTable label="Conversion by version" columns={columns}>
        {probe.versions.map((probed, index) => (
          <tr key={probed.version} className="align-top">
            <th
              scope="row"
              className="max-w-48 min-w-24 py-1.5 pr-2 text-left font-mono text-xs leading-5 font-medium [overflow-wrap:anywhere]"
            >
              {probed.version}
            </th>
            <DataCell numeric>{formatCount(probed.ms)} ms</DataCell>
            <DataCell numeric>
              {probed.readMs === null ? <span className="text-ink-faint">–</span> : `${formatCount(probed.readMs)} ms`}
            </DataCell>
            <DataCell className="min-w-48 [overflow-wrap:anywhere]">
              <Answer probed={probed} before={probe.versions[index - 1]?.failure ?? null} />
            </DataCell>
          </tr>
        ))}
      </DataTable>
    </div>
  );
}

/** `before` is the failure in the row above: when the webhook is down, all versions fail the same way. */
function Answer({ probed: { failure, objects, readMs }, before }: { probed: Probed; before: string | null }) {
  if (failure !== null) {
    return (
      <span className="text-blocked">
        <span aria-hidden>✕</span> fails{failure === before ? ", for the same reason" : <Reason text={failure} />}
      </span>
    );
  }
  if (objects === 0) return <span className="text-ink-soft">no object</span>;
  if (readMs === null) return <span className="text-ink-soft">the object was deleted in between</span>;
  return (
    <span className="text-good">
      <span aria-hidden>✓</span> answers
    </span>
  );
}

function Reason({ text }: { text: string }) {
  return (
    <>
      : <span dir="auto">{text}</span>
    </>
  );
}

/** What a probe shows, and what it can't show. */
export function probeMeaning({ versions }: Probe, strategy: CrdDetail["conversion"]): string {
  const read = versions.filter(({ readMs }) => readMs !== null).length;
  if (versions.some(({ failure }) => failure !== null)) {
    return "The table shows the API server's errors. An object read at its stored version needs no conversion, so that version may answer while others fail.";
  }
  if (read === 0) return "There are no objects, so nothing was converted. This only shows that the versions are served.";
  if (strategy === "None") return "No webhook is involved: the API server changes the apiVersion itself.";
  if (read === 1) return "Only one version is served, so the webhook was called only if the object is stored in another version.";
  return "The object is stored in one version, so for every other version the webhook just converted it. That holds for Get; List may come from the API server's cache, which holds converted objects.";
}
