"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ConversionSection } from "#components/conversion/conversion-section.tsx";
import { FleetBreadcrumb } from "#components/crd/breadcrumbs.tsx";
import { KubectlBlock } from "#components/crd/kubectl/kubectl-block.tsx";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { HistorySection } from "#components/history/history-section.tsx";
import { ManagedFieldsSection } from "#components/managed-fields/managed-fields-section.tsx";
import { MigrationTable } from "#components/migrations/migration-table.tsx";
import { enginesHref, removalHref } from "#components/shell/hrefs.ts";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/definition/crd.ts";
import { useCrd } from "#lib/queries/live/use-cluster-data.ts";
import { objectCountsQuery } from "#lib/queries/objects/object-counts-query.ts";
import { ConditionsSection } from "./conditions-section.tsx";
import { CountStatus } from "./count-status.tsx";
import { DefinitionHeading } from "./definition-heading.tsx";
import { DryRunSection } from "./dry-run-section.tsx";
import { pruneCommand, rewriteCommand } from "./kubectl-commands.ts";
import { NamesSection } from "./names-section.tsx";
import { ProofSection } from "./proof-section.tsx";
import { RewritesSection } from "./rewrites-section.tsx";
import { StatePanel } from "./state-panel.tsx";
import { StoredVersionsSection } from "./stored-versions-section.tsx";
import { VersionLadder } from "./version-ladder.tsx";

/** One definition: its state, why, and what to do next. */
export function Definition({ cluster, crd }: { cluster: string; crd: string }) {
  const { data, error, refetch } = useCrd(cluster, crd);
  return (
    <div className="pt-4">
      <FleetBreadcrumb cluster={cluster} />
      {data ? (
        <>
          <DefinitionHeading cluster={cluster} crd={data} />
          <StatePanel cluster={cluster} crd={data} />
          <VersionsSection cluster={cluster} crd={data} />
          <StoredVersionsSection crd={data} />
          <DryRunSection cluster={cluster} crd={data} />
          <ConversionSection cluster={cluster} crd={data} />
          <ProofSection crd={data} />
          <RewritesSection cluster={cluster} crd={data} />
          <HistorySection cluster={cluster} crd={data} />
          <MigrationsSection cluster={cluster} crd={data} />
          <ManagedFieldsSection cluster={cluster} crd={data} />
          <ConditionsSection cluster={cluster} crd={data} />
          <NamesSection crd={data} />
          <KubectlSection cluster={cluster} crd={data} />
        </>
      ) : error ? (
        <LoadFailure error={error} subject={crd} onRetry={() => refetch()} />
      ) : (
        <DefinitionSkeleton name={crd} />
      )}
    </div>
  );
}

/** The versions in priority order, with the object counts of each. */
function VersionsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const counts = useQuery(objectCountsQuery(cluster, crd.name));
  return (
    <Section title="Versions" aside={<CountStatus cluster={cluster} crd={crd} counts={counts} />}>
      <VersionLadder cluster={cluster} crd={crd} counts={counts.data ?? null} />
      <PriorityOrder versions={crd.versions} />
      <RemovedVersion cluster={cluster} crd={crd} />
    </Section>
  );
}

/** The removed versions, newest first, each linked to its removal path. */
function RemovedVersion({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  return crd.removedVersions.map(({ version, removedAt, by }) => (
    <p key={version} className="pt-3 text-ink-soft [overflow-wrap:anywhere]">
      <span className="font-mono">{version}</span> was removed <Time at={removedAt} />
      {by ? (
        <>
          {" "}
          by <span dir="auto">{by}</span>
        </>
      ) : null}
      .{" "}
      <Link href={removalHref(cluster, crd.name, version)} prefetch={false} className="text-ink underline underline-offset-2">
        Put it back or see the remaining steps
      </Link>
    </p>
  ));
}

/** Explains the version order, folded by default. */
function PriorityOrder({ versions }: { versions: CrdVersion[] }) {
  return (
    <details className="pt-3 text-xs">
      <summary className="text-ink-soft hover:text-ink">Why this order?</summary>
      <div className="flex max-w-2xl flex-col gap-2 pt-2 text-ink-soft">
        <p>
          Kubernetes orders versions by stability (GA, then beta, then alpha), then by major and minor number, highest first. Names that
          don't parse come last, alphabetically. Clients that don't ask for a version get the first served one.
        </p>
        <ol className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
          {versions.map((version) => (
            <li key={version.name} className="contents">
              <span className="max-w-64 truncate font-mono text-ink">{version.name}</span>
              <span>{version.priorityReason}</span>
            </li>
          ))}
        </ol>
      </div>
    </details>
  );
}

/** What other engines did or do with the definition; renders nothing if there is nothing to show. */
function MigrationsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  if (crd.migrations.length === 0) return null;
  return (
    <Section
      title="Other engines"
      aside={
        <>
          <p>StorageVersionMigrations of this definition. crdshift only touches the ones it created.</p>
          <Link href={enginesHref(cluster)} prefetch={false} className="underline underline-offset-2 hover:text-ink">
            All in this cluster
          </Link>
        </>
      }
    >
      <MigrationTable cluster={cluster} migrations={crd.migrations} more={crd.moreMigrations} />
    </Section>
  );
}

const rows = [0, 1, 2];

/** The loading state; the name comes from the URL. */
function DefinitionSkeleton({ name }: { name: string }) {
  return (
    <div role="status">
      <h1 className="pt-2 text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">{name}</h1>
      <span className="sr-only">Loading definition…</span>
      <div aria-hidden>
        <div className="flex h-10 items-center gap-6">
          <span className="skeleton h-3 w-24" />
          <span className="skeleton h-3 w-20" />
          <span className="skeleton h-3 w-40" />
        </div>
        <div className="mb-6 flex h-24 flex-col justify-center gap-3 border-l-2 border-line bg-sunken px-4">
          <span className="skeleton h-3 w-28" />
          <span className="skeleton h-3 w-96 max-w-full" />
        </div>
        <div className="flex flex-col gap-6 border-t border-line py-6 lg:pl-56">
          {rows.map((row) => (
            <span key={row} className="skeleton h-3 w-full" />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The equivalent kubectl commands. */
function KubectlSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  return (
    <Section title="By hand">
      <details>
        <summary className="text-sm text-ink-soft hover:text-ink">Equivalent kubectl commands</summary>
        <div className="flex flex-col gap-3 pt-3">
          <h3 className="text-xs font-medium text-ink-soft">
            Rewrite. This doesn't wait for slow requests to settle, and verifies and proves nothing.
          </h3>
          <KubectlBlock cluster={cluster} command={(kubectl) => rewriteCommand(kubectl, crd)} copyLabel="Copy the rewrite command" />
          {crd.leftoverVersions.length > 0 ? (
            <>
              <h3 className="text-xs font-medium text-ink-soft">
                Prune. Run this only once you know that every object is stored as {crd.storageVersion}.
              </h3>
              <KubectlBlock cluster={cluster} command={(kubectl) => pruneCommand(kubectl, crd)} copyLabel="Copy the prune command" />
            </>
          ) : null}
        </div>
      </details>
    </Section>
  );
}
