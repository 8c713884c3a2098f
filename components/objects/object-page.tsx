"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { objectsHref } from "#components/shell/hrefs.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { formatCount } from "#components/ui/format-count.ts";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { ObjectPage as Page } from "#lib/contract/custom-object.ts";
import { objectPageQuery } from "#lib/queries/object-queries.ts";
import { ObjectTable } from "./object-table.tsx";
import { RowsSkeleton } from "./rows-skeleton.tsx";

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: string;
  token: string | null;
}

/** One page of objects, and the way to the next. */
export function ObjectPage({ cluster, crd, version, token }: Props) {
  const { data: page, error, isPlaceholderData, isFetching, refetch } = useQuery(objectPageQuery(cluster, crd.name, version, token));
  const first = (
    <Link href={objectsHref(cluster, crd.name, { version })} prefetch={false} className="text-ink underline underline-offset-2">
      Go to the first page
    </Link>
  );
  if (error) {
    return (
      <ApiErrorNotice error={error}>
        {token === null ? null : first}
        <Button onClick={() => refetch()} disabled={isFetching}>
          {isFetching ? "Trying…" : "Try again"}
        </Button>
      </ApiErrorNotice>
    );
  }
  if (!page) return <RowsSkeleton />;
  if (page.rows.length === 0 && token === null) return <p className="text-ink-soft">There are no objects.</p>;
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
  if (next === null) return `${shown}, the last`;
  return remaining === null ? `${shown}, and more` : `${shown}, ${formatCount(remaining)} after it`;
}
