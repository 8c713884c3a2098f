"use client";

import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useState } from "react";
import { Ago } from "#components/shared/ago.tsx";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { Button } from "#components/ui/form.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { Section } from "#components/ui/section.tsx";
import { DataCell, DataTable } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { managedFieldsQuery } from "#lib/queries/objects/object-queries.ts";
import { CleanButton, CleanDialog } from "./clean-dialog.tsx";
import { type VersionStanding, versionStanding } from "./version-standing.ts";

/** The versions that managedFields name, by manager, with a way to clean them before a version is removed. */
export function ManagedFieldsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const counts = useQuery(managedFieldsQuery(cluster, crd.name));
  const { data } = counts;
  const [cleaning, setCleaning] = useState<string | null>(null);
  return (
    <Section title="Managed fields" aside={<ManagedFieldsStatus cluster={cluster} crd={crd} counts={counts} />}>
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-ink-soft">
          Every entry in an object's managedFields names the version that its manager wrote with. Once you remove that version from
          spec.versions, server-side apply to the object fails for every manager (
          <a href="https://github.com/kubernetes/kubernetes/issues/111937" className="underline underline-offset-2 hover:text-ink">
            kubernetes#111937
          </a>
          ). A rewrite alone doesn't fix that.
        </p>
        {data && data.versions.length > 0 ? (
          <VersionsTable crd={crd} counts={data} onClean={setCleaning} />
        ) : data?.complete ? (
          <p>{data.scanned === 0 ? "No objects" : "No object has a managedFields entry"}</p>
        ) : null}
      </div>
      <CleanDialog cluster={cluster} crd={crd} version={cleaning} onClose={() => setCleaning(null)} />
    </Section>
  );
}

type Version = ManagedFields["versions"][number];

const columns = [{ name: "Version" }, { name: "Status" }, { name: "Objects", numeric: true }, { name: "Managers" }, { name: "Clean" }];

const standings: Record<VersionStanding, { text: string; color: string }> = {
  storage: { text: "◆ storage", color: "text-ink" },
  served: { text: "● served", color: "text-ink" },
  unserved: { text: "○ not served", color: "text-ink-soft" },
  missing: { text: "■ not in spec.versions: server-side apply fails", color: "text-blocked" },
};

/** The object count and managers of each version. */
function VersionsTable({ crd, counts, onClean }: { crd: CrdDetail; counts: ManagedFields; onClean: (version: string) => void }) {
  return (
    <DataTable label="Managed fields by version" columns={columns}>
      {counts.versions.map((version) => {
        const standing = versionStanding(crd.versions, version.version);
        return (
          <tr key={version.version} className="align-top">
            <th scope="row" className="max-w-64 truncate py-1.5 pr-2 text-left font-mono font-medium" title={version.version}>
              {version.version}
            </th>
            <DataCell className={clsx("min-w-32", standings[standing].color)}>{standings[standing].text}</DataCell>
            <DataCell numeric>{formatCount(version.objects)}</DataCell>
            <DataCell className="min-w-64">
              <ManagerList version={version} />
            </DataCell>
            <DataCell className="max-w-72">
              {standing === "storage" || version.objects === 0 ? (
                <span className="text-ink-faint">–</span>
              ) : (
                <CleanButton crd={crd} version={version.version} disabled={!counts.complete} onClick={() => onClean(version.version)} />
              )}
            </DataCell>
          </tr>
        );
      })}
    </DataTable>
  );
}

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
      counted <Ago at={counts.asOf} />
    </p>
  );
}

/** The managers whose entries name a version, each with its object count and last write. */
export function ManagerList({ version: { version, managers, moreManagers } }: { version: Version }) {
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
                last <Ago at={lastWrite} /> (<Time at={lastWrite} />)
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
