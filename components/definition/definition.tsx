"use client";

import Link from "next/link";
import { ConversionSection } from "#components/conversion/conversion-section.tsx";
import { DryRunSection } from "#components/dry-run/newest-dry-run.tsx";
import { MigrationTable } from "#components/engines/migration-table.tsx";
import { UnreadNotices } from "#components/engines/unread-notices.tsx";
import { HistorySection } from "#components/history/history-section.tsx";
import { enginesHref, objectsHref } from "#components/hrefs.ts";
import { ManagedFieldsSection } from "#components/managed-fields/managed-fields-section.tsx";
import { FleetBreadcrumb } from "#components/shared/breadcrumbs.tsx";
import { pruneCommand, rewriteCommand } from "#components/shared/kubectl.ts";
import { KubectlBlock } from "#components/shared/kubectl-block.tsx";
import { LoadFailure } from "#components/shared/load-failure.tsx";
import { CrdName } from "#components/shared/names.tsx";
import { ObjectTotal } from "#components/shared/object-total.tsx";
import { Fact } from "#components/ui/fact.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { unreadEngines } from "#lib/domain/rewrite/unread-engines.ts";
import { useCrd } from "#lib/queries/live/use-cluster-data.ts";
import { useReadOnly } from "#lib/queries/session/session-query.ts";
import { ConditionsSection } from "./conditions-section.tsx";
import { NamesSection } from "./names-section.tsx";
import { ProofSection } from "./proof-section.tsx";
import { RestoredNotice } from "./restored-notice.tsx";
import { RewritesSection } from "./rewrites-section.tsx";
import { StatePanel } from "./state-panel.tsx";
import { StoredVersionsSection } from "./stored-versions-section.tsx";
import { VersionsSection } from "./versions-section.tsx";

/** One definition: its state, why, and what to do next. */
export function Definition({ cluster, crd }: { cluster: string; crd: string }) {
  const { data, error, refetch } = useCrd(cluster, crd);
  return (
    <div className="pt-4">
      <FleetBreadcrumb cluster={cluster} />
      {data ? (
        <>
          <DefinitionHeading cluster={cluster} crd={data} />
          <RestoredNotice crd={data} />
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
          <KubectlSection crd={data} />
        </>
      ) : error ? (
        <LoadFailure error={error} subject={crd} onRetry={() => refetch()} />
      ) : (
        <DefinitionSkeleton name={crd} />
      )}
    </div>
  );
}

/** The definition's name and its main facts. */
function DefinitionHeading({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const isReadOnly = useReadOnly();
  return (
    <>
      <h1 className="pt-2 text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
        <CrdName plural={crd.plural} group={crd.group} />
      </h1>
      {crd.protection !== null ? (
        <p className="pt-1 text-sm text-ink-soft">
          Protected by <span className="font-mono [overflow-wrap:anywhere]">{crd.protection}</span>
          {isReadOnly ? "." : ": changes need a reason."}
        </p>
      ) : null}
      <dl className="flex flex-wrap gap-x-6 gap-y-1 pt-2 pb-4 text-sm">
        <Fact name="Kind">{crd.kind}</Fact>
        <Fact name="Scope">{crd.scope}</Fact>
        <Fact name="Conversion">
          {crd.conversion}
          {crd.conversionTarget ? <span className="text-ink-soft"> at {crd.conversionTarget}</span> : null}
        </Fact>
        <Fact name="Owner">{crd.owner ?? <span className="text-ink-soft">Unmanaged</span>}</Fact>
        <Fact name="Objects">
          <ObjectTotal objects={crd.objects} />{" "}
          <Link
            href={objectsHref(cluster, crd.name)}
            prefetch={false}
            className="ml-4 underline decoration-line-strong underline-offset-2 hover:decoration-ink"
          >
            Browse objects
          </Link>
        </Fact>
        <Fact name="Generation">{crd.generation}</Fact>
        {crd.deletionTimestamp ? (
          <Fact name="Deleting">
            <span className="text-blocked">
              since <Time at={crd.deletionTimestamp} />, waiting for finalizers
            </span>
          </Fact>
        ) : null}
      </dl>
    </>
  );
}

/** What other engines did or do with the definition; renders nothing if there is nothing to show. */
function MigrationsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const isUnread = unreadEngines(crd.otherEngines).length > 0;
  if (crd.migrations.length === 0 && !isUnread) return null;
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
      <div className="flex flex-col gap-3">
        <UnreadNotices engines={crd.otherEngines} stale={crd.stale} />
        {crd.migrations.length > 0 ? <MigrationTable cluster={cluster} migrations={crd.migrations} more={crd.moreMigrations} /> : null}
      </div>
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
function KubectlSection({ crd }: { crd: CrdDetail }) {
  return (
    <Section title="By hand">
      <details>
        <summary className="text-sm text-ink-soft hover:text-ink">Equivalent kubectl commands</summary>
        <div className="flex flex-col gap-3 pt-3">
          <h3 className="text-xs font-medium text-ink-soft">
            Rewrite. This doesn't wait for slow requests to settle, and verifies and proves nothing.
          </h3>
          <KubectlBlock command={(kubectl) => rewriteCommand(kubectl, crd)} copyLabel="Copy the rewrite command" />
          {crd.leftoverVersions.length > 0 ? (
            <>
              <h3 className="text-xs font-medium text-ink-soft">
                Prune. Run this only once you know that every object is stored as {crd.storageVersion}.
              </h3>
              <KubectlBlock command={(kubectl) => pruneCommand(kubectl, crd)} copyLabel="Copy the prune command" />
            </>
          ) : null}
        </div>
      </details>
    </Section>
  );
}
