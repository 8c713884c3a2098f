"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { rewriteHref } from "#components/hrefs.ts";
import { MigrationMark } from "#components/shared/marks.tsx";
import { Button } from "#components/ui/form.tsx";
import { DataCell, DataTable, useFold } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Migration } from "#lib/contract/rewrite/migration.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { engineWords } from "./engine-words.ts";

interface Props {
  cluster: string;
  migrations: readonly Migration[];
  /** How many older migrations are left out. */
  more: number;
  /** Renders a migration's resource; if missing, the table has no Resource column. */
  resource?: (migration: Migration) => ReactNode;
}

/** Rows shown until the list is expanded. */
const SHOWN = 20;

const linkClass = "underline decoration-line-strong underline-offset-2 hover:decoration-ink";

/** A read-only table of StorageVersionMigrations, in the given order. */
export function MigrationTable({ cluster, migrations, more, resource }: Props) {
  const { shown, folded, unfold } = useFold(migrations, SHOWN);
  const columns = ["Name", ...(resource ? ["Resource"] : []), "Engine", "State", "Since", "Message", "Created by (claimed)"];
  return (
    <div className="flex flex-col items-start gap-2">
      <DataTable label="StorageVersionMigrations" columns={columns.map((name) => ({ name }))}>
        {shown.map((migration) => (
          <tr key={`${migration.engine} ${migration.name}`}>
            <th scope="row" className="h-9 min-w-60 py-1.5 pr-2 text-left font-mono text-xs font-medium [overflow-wrap:anywhere]">
              {migration.name}
            </th>
            {resource ? <DataCell className="min-w-44 [overflow-wrap:anywhere]">{resource(migration)}</DataCell> : null}
            <DataCell className="whitespace-nowrap">{engineWords[migration.engine].name}</DataCell>
            <DataCell>
              <MigrationMark phase={migration.phase} />
            </DataCell>
            <DataCell className="whitespace-nowrap">
              {migration.since ? (
                <Time at={migration.since} seconds />
              ) : (
                <span className="text-ink-soft">{migration.phase === "pending" ? "not started" : "–"}</span>
              )}
            </DataCell>
            <DataCell className="min-w-60 [overflow-wrap:anywhere] text-ink-soft">
              <span dir="auto">{migration.message || "–"}</span>
            </DataCell>
            <DataCell className="whitespace-nowrap">
              {migration.runId ? (
                <Link href={rewriteHref(cluster, migration.resource, migration.runId)} prefetch={false} className={linkClass}>
                  crdshift
                </Link>
              ) : (
                <span className="text-ink-soft">not crdshift</span>
              )}
            </DataCell>
          </tr>
        ))}
      </DataTable>
      {folded > 0 ? <Button onClick={unfold}>Show {formatCount(folded)} more</Button> : null}
      {more > 0 && folded === 0 ? (
        <p className="text-xs text-ink-soft">{formatCountOf(more, "older migration is", "older migrations are")} not shown.</p>
      ) : null}
    </div>
  );
}
