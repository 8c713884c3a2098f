"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { rewriteHref } from "#components/shell/hrefs.ts";
import { Button } from "#components/ui/button.tsx";
import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { Time } from "#components/ui/time.tsx";
import { useFold } from "#components/ui/use-fold.ts";
import type { Migration } from "#lib/contract/rewrite/migration.ts";
import { engineWords } from "./engine-words.ts";
import { MigrationMark } from "./migration-mark.tsx";

interface Props {
  cluster: string;
  migrations: readonly Migration[];
  /** How many older ones are left out of these. */
  more: number;
  /** How the resource of a migration is shown; without it there is no such column. */
  resource?: (migration: Migration) => ReactNode;
}

/** At first; the rest when somebody asks for it. */
const SHOWN = 20;

const linkClass = "underline decoration-line-strong underline-offset-2 hover:decoration-ink";

/** StorageVersionMigrations in the order given, read-only. */
export function MigrationTable({ cluster, migrations, more, resource }: Props) {
  const { shown, folded, unfold } = useFold(migrations, SHOWN);
  const columns = ["Name", ...(resource ? ["Resource"] : []), "Engine", "State", "Since", "Message", "Made by, it says"];
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
                <span className="text-ink-soft">{migration.phase === "pending" ? "not picked up" : "–"}</span>
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
                <span className="text-ink-soft">somebody else</span>
              )}
            </DataCell>
          </tr>
        ))}
      </DataTable>
      {folded > 0 ? <Button onClick={unfold}>Show {formatCount(folded)} more</Button> : null}
      {more > 0 && folded === 0 ? (
        <p className="text-xs text-ink-soft">{formatCountOf(more, "older one is", "older ones are")} left out here.</p>
      ) : null}
    </div>
  );
}
