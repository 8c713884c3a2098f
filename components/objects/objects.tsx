"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, useQueryStates } from "nuqs";
import { objectHref, objectsHref } from "#components/hrefs.ts";
import { RetryNotice } from "#components/shared/api-error-notice.tsx";
import { DefinitionBreadcrumb } from "#components/shared/breadcrumbs.tsx";
import { LoadFailure } from "#components/shared/load-failure.tsx";
import { pluralOf } from "#components/shared/names.tsx";
import { ObjectTotal } from "#components/shared/object-total.tsx";
import { ButtonLink } from "#components/ui/form.tsx";
import { DataCell, DataTable } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ObjectPage as Page } from "#lib/contract/objects/custom-object.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { useCrd } from "#lib/queries/live/use-cluster-data.ts";
import { objectPageQuery } from "#lib/queries/objects/object-queries.ts";
import { RowsSkeleton } from "./rows-skeleton.tsx";
import { shownVersion, VersionSelect } from "./version-select.tsx";

/** The objects of a definition, a page at a time. */
export function Objects({ cluster, crd }: { cluster: string; crd: string }) {
  const { data: definition, error, refetch } = useCrd(cluster, crd);
  const { version: asked, token, setView } = useObjectsView();
  const version = definition ? shownVersion(definition, asked) : null;
  return (
    <div className="pt-4">
      <DefinitionBreadcrumb cluster={cluster} crd={crd} />
      <div className="flex min-h-14 flex-wrap items-center justify-between gap-x-8 gap-y-2 pt-2 pb-4">
        <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
          {pluralOf(crd)} <span className="font-normal text-ink-faint">objects</span>
        </h1>
        {definition && version ? (
          <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
            <p className="text-sm text-ink-soft">
              <ObjectTotal objects={definition.objects} />
              {definition.objects.total === null ? null : " in total"}
            </p>
            <VersionSelect crd={definition} version={version} onChange={(next) => setView({ version: next, continue: null })} />
          </div>
        ) : null}
      </div>
      {definition && version ? (
        <ObjectPage cluster={cluster} crd={definition} version={version} token={token} />
      ) : definition ? (
        <p>No version is served, so the API server returns no objects.</p>
      ) : error ? (
        <LoadFailure error={error} subject={crd} onRetry={() => refetch()} />
      ) : (
        <RowsSkeleton />
      )}
    </div>
  );
}

const parsers = { version: parseAsString, continue: parseAsString };

/** The version and the page of the list, kept in the URL; the back button returns to the previous page. */
function useObjectsView() {
  const [view, setView] = useQueryStates(parsers, { history: "push", scroll: true });
  return { version: view.version, token: view.continue, setView };
}

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: string;
  token: string | null;
}

/** One page of objects, with links to the first and the next page. */
function ObjectPage({ cluster, crd, version, token }: Props) {
  const { data: page, error, isPlaceholderData, isFetching, refetch } = useQuery(objectPageQuery(cluster, crd.name, version, token));
  const first = (
    <Link href={objectsHref(cluster, crd.name, { version })} prefetch={false} className="text-ink underline underline-offset-2">
      Go to the first page
    </Link>
  );
  if (error) return <RetryNotice {...{ error, isFetching, refetch }}>{token === null ? null : first}</RetryNotice>;
  if (!page) return <RowsSkeleton />;
  if (page.rows.length === 0 && token === null) return <p className="text-ink-soft">No objects.</p>;
  return (
    <div aria-busy={isPlaceholderData} className={isPlaceholderData ? "opacity-60" : undefined}>
      <ObjectTable cluster={cluster} crd={crd} version={version} page={page} />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t border-line pt-3 text-sm">
        <p className="text-ink-soft">
          {pageText(page)}, as of <Time at={page.asOf} seconds />
        </p>
        <div className="flex gap-2">
          {token === null ? null : (
            <ButtonLink href={objectsHref(cluster, crd.name, { version })} prefetch={false}>
              First page
            </ButtonLink>
          )}
          {page.continue === null ? null : (
            <ButtonLink href={objectsHref(cluster, crd.name, { version, continue: page.continue })} prefetch={false}>
              Next page
            </ButtonLink>
          )}
        </div>
      </div>
    </div>
  );
}

function pageText({ rows, continue: next, remaining }: Page): string {
  const shown = `${formatCount(rows.length)} on this page`;
  if (next === null) return `${shown}, the last page`;
  return remaining === null ? `${shown}, and more` : `${shown}, ${formatCount(remaining)} more`;
}

interface ObjectTableProps {
  cluster: string;
  crd: CrdDetail;
  /** The version that links open an object at; the page may still show the previous version while this one loads. */
  version: string;
  page: Page;
}

/** Objects as `kubectl get` prints them at a version. */
function ObjectTable({ cluster, crd, version, page }: ObjectTableProps) {
  const namespaced = crd.scope === "Namespaced";
  const columns = [
    ...(namespaced ? [{ name: "Namespace" }] : []),
    { name: "Name" },
    ...page.columns.map(({ name, type, description }) => ({ name, hint: description, numeric: type === "integer" || type === "number" })),
  ];
  return (
    <DataTable label="Objects" columns={columns}>
      {page.rows.map((row) => (
        <tr key={`${row.namespace}/${row.name}`}>
          {namespaced ? <DataCell className="whitespace-nowrap text-ink-soft">{row.namespace}</DataCell> : null}
          <th scope="row" className="max-w-md min-w-56 px-2 text-left font-normal first:pl-0">
            <Link
              href={objectHref(cluster, crd.name, row, { version })}
              prefetch={false}
              className="font-mono underline decoration-line-strong underline-offset-2 [overflow-wrap:anywhere] hover:decoration-ink"
            >
              {row.name}
            </Link>
          </th>
          {page.columns.map(({ name, type }, index) => (
            <DataCell key={name} numeric={type === "integer" || type === "number"} className="max-w-96 truncate">
              <span dir="auto">{row.cells[index] || "–"}</span>
            </DataCell>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}
