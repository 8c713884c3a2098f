"use client";

import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { removalHref } from "#components/hrefs.ts";
import { Ago } from "#components/shared/ago.tsx";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { Button } from "#components/ui/form.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import { FlipWarning } from "#components/version-flags/flip-warning.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/definition/crd.ts";
import type { ObjectCounts } from "#lib/contract/objects/object-counts.ts";
import { conversionFailureIn } from "#lib/domain/conversion/conversion-failure.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { objectCountsQuery } from "#lib/queries/objects/object-queries.ts";
import { EditCheck } from "./edit-check.tsx";
import { VersionLadder } from "./version-ladder.tsx";

/** The versions in priority order, with the object counts of each. */
export function VersionsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const counts = useQuery(objectCountsQuery(cluster, crd.name));
  return (
    <Section title="Versions" aside={<CountStatus cluster={cluster} crd={crd} counts={counts} />}>
      <FlipWarning cluster={cluster} crd={crd} />
      <VersionLadder cluster={cluster} crd={crd} counts={counts.data ?? null} />
      <PriorityOrder versions={crd.versions} />
      <EditCheck cluster={cluster} crd={crd} />
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

/** The object count, its progress and its age. */
function CountStatus({ cluster, crd, counts }: { cluster: string; crd: CrdDetail; counts: UseQueryResult<ObjectCounts> }) {
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = counts;
  const cancel = () => client.cancelQueries({ queryKey: objectCountsQuery(cluster, crd.name).queryKey }, { revert: false });
  return (
    <div className="flex min-h-24 flex-col items-start gap-2">
      {data ? <Total crd={crd} counts={data} counting={isFetching} /> : isFetching ? <p>Counting objects…</p> : null}
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
  if (etcd.read === etcd.total)
    return (
      <p>
        read from etcd <Ago at={etcd.asOf} />
      </p>
    );
  return (
    <>
      <p>
        {formatCount(etcd.read)} of {formatCount(etcd.total)} read from etcd{counting ? "" : ", stopped"}
      </p>
      {counting ? <ProgressBar label="Objects read from etcd" done={etcd.read} total={etcd.total} className="w-36" /> : null}
    </>
  );
}

// Two failures of one webhook differ in their details, such as the port that the API server called from.
function isInStateReason({ stateReason }: CrdDetail, message: string): boolean {
  return stateReason.includes(message) || (conversionFailureIn(message) !== null && conversionFailureIn(stateReason) !== null);
}

function Total({ crd, counts, counting }: { crd: CrdDetail; counts: ObjectCounts; counting: boolean }) {
  if (counts.total === null) {
    return (
      <p dir="auto" className="[overflow-wrap:anywhere]">
        <span className="text-sm font-medium text-ink">Objects: {counts.basis === "list" ? "unknown" : counts.basis}</span>
        <br />
        {counts.message && isInStateReason(crd, counts.message) ? "See the reason above." : counts.message}
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
        <>
          counted <Ago at={counts.asOf} />
        </>
      ) : (
        <>
          {formatCount(counts.scanned)} counted{counting ? "" : ", stopped"}
        </>
      )}
    </p>
  );
}
