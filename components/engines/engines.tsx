"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { definitionHref } from "#components/hrefs.ts";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { FleetBreadcrumb } from "#components/shared/breadcrumbs.tsx";
import { CrdName, pluralOf } from "#components/shared/names.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import type { MigrationList } from "#lib/contract/rewrite/migration.ts";
import { migrationApiOf, migrationEngines } from "#lib/domain/rewrite/engines.ts";
import { crdsQuery } from "#lib/queries/definition/crd-queries.ts";
import { migrationsQuery } from "#lib/queries/rewrite/rewrite-queries.ts";
import { EngineComparison } from "./engine-comparison.tsx";
import { unlistedTitle, unservedNextStep, unservedWords } from "./engine-words.ts";
import { MigrationTable } from "./migration-table.tsx";

/** The engines that can rewrite objects in this cluster, and what the others did. */
export function Engines({ cluster }: { cluster: string }) {
  return (
    <div className="pt-4">
      <FleetBreadcrumb cluster={cluster} />
      <h1 className="pt-2 pb-4 text-xl font-semibold tracking-tight">Engines</h1>
      <EngineComparison cluster={cluster} />
      <MigrationHistory cluster={cluster} />
    </div>
  );
}

/** All migrations by other engines in the cluster, newest first. */
function MigrationHistory({ cluster }: { cluster: string }) {
  const { data, error } = useQuery(migrationsQuery(cluster));
  return (
    <Section
      title="History"
      aside={<p>The cluster's StorageVersionMigrations, newest first. crdshift only touches the ones it created.</p>}
    >
      {data ? (
        <Listed cluster={cluster} list={data} />
      ) : error ? (
        <ApiErrorNotice error={error} />
      ) : (
        <p role="status" className="text-ink-soft">
          Loading…
        </p>
      )}
    </Section>
  );
}

function Listed({ cluster, list }: { cluster: string; list: MigrationList }) {
  const known = useQuery({
    ...crdsQuery(cluster),
    enabled: list.items.length > 0,
    select: ({ items }) => new Set(items.map(({ name }) => name)),
  }).data;
  const unseen = migrationEngines.flatMap((engine) => {
    const api = list.apis[engine];
    return api.status === "served" || api.status === "not-served" ? [] : [{ engine, api }];
  });
  return (
    <div className="flex flex-col gap-3">
      {unseen.map(({ engine, api }) => (
        <Notice key={engine} tone="warning" title={unlistedTitle(engine, api)}>
          <p dir="auto">{unservedWords(engine, api) ?? api.message}</p>
          <p>{unservedNextStep(engine, api)}</p>
        </Notice>
      ))}
      {list.items.length > 0 ? (
        <MigrationTable
          cluster={cluster}
          migrations={list.items}
          more={list.more}
          resource={({ resource }) => <Resource cluster={cluster} resource={resource} isDefinition={known?.has(resource) ?? false} />}
        />
      ) : (
        <p className="text-ink-soft">{emptyWords(list)}</p>
      )}
    </div>
  );
}

function Resource({ cluster, resource, isDefinition }: { cluster: string; resource: string; isDefinition: boolean }) {
  // Built-in resources can be migrated too; they have no definition.
  if (!isDefinition) return resource;
  const plural = pluralOf(resource);
  return (
    <Link href={definitionHref(cluster, resource)} prefetch={false} className="underline-offset-2 hover:underline">
      <CrdName plural={plural} group={resource.slice(plural.length + 1)} />
    </Link>
  );
}

function emptyWords({ apis }: MigrationList): string {
  const served = migrationEngines.filter((engine) => apis[engine].status === "served");
  if (served.length > 0) return `No migrations in ${served.map((engine) => migrationApiOf[engine].group).join(" or ")} yet.`;
  const isHidden = migrationEngines.some((engine) => apis[engine].status !== "not-served");
  return isHidden ? "Couldn't list any migrations." : "No migrations: this cluster serves no API for them.";
}
