"use client";

import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useState } from "react";
import { Section } from "#components/ui/section.tsx";
import { DataCell, DataTable } from "#components/ui/table/data-table.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { managedFieldsQuery } from "#lib/queries/objects/object-queries.ts";
import { CleanButton, CleanDialog } from "./clean-dialog.tsx";
import { ManagedFieldsStatus, ManagerList } from "./managed-fields-status.tsx";

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

const standings: Record<Version["standing"], { text: string; colour: string }> = {
  storage: { text: "◆ storage", colour: "text-ink" },
  served: { text: "● served", colour: "text-ink" },
  unserved: { text: "○ not served", colour: "text-ink-soft" },
  missing: { text: "■ not in spec.versions: server-side apply fails", colour: "text-blocked" },
};

/** The object count and managers of each version. */
function VersionsTable({ crd, counts, onClean }: { crd: CrdDetail; counts: ManagedFields; onClean: (version: string) => void }) {
  return (
    <DataTable label="Managed fields by version" columns={columns}>
      {counts.versions.map((version) => (
        <tr key={version.version} className="align-top">
          <th scope="row" className="max-w-64 truncate py-1.5 pr-2 text-left font-mono font-medium" title={version.version}>
            {version.version}
          </th>
          <DataCell className={clsx("min-w-32", standings[version.standing].colour)}>{standings[version.standing].text}</DataCell>
          <DataCell numeric>{formatCount(version.objects)}</DataCell>
          <DataCell className="min-w-64">
            <ManagerList version={version} />
          </DataCell>
          <DataCell className="max-w-72">
            {version.standing === "storage" || version.objects === 0 ? (
              <span className="text-ink-faint">–</span>
            ) : (
              <CleanButton crd={crd} version={version.version} disabled={!counts.complete} onClick={() => onClean(version.version)} />
            )}
          </DataCell>
        </tr>
      ))}
    </DataTable>
  );
}
