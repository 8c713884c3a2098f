"use client";

import { DefinitionBreadcrumb } from "#components/crd/definition-breadcrumb.tsx";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { ObjectTotal } from "#components/crd/object-total.tsx";
import { pluralOf } from "#components/crd/plural-of.ts";
import { useCrd } from "#lib/queries/use-cluster-data.ts";
import { ObjectPage } from "./object-page.tsx";
import { RowsSkeleton } from "./rows-skeleton.tsx";
import { shownVersion } from "./shown-version.ts";
import { useObjectsView } from "./use-objects-view.ts";
import { VersionSelect } from "./version-select.tsx";

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
              <ObjectTotal objects={definition.objects} /> in all
            </p>
            <VersionSelect crd={definition} version={version} onChange={(next) => setView({ version: next, continue: null })} />
          </div>
        ) : null}
      </div>
      {definition && version ? (
        <ObjectPage cluster={cluster} crd={definition} version={version} token={token} />
      ) : definition ? (
        <p>No version is served, so the API server shows no object.</p>
      ) : error ? (
        <LoadFailure error={error} subject={crd} onRetry={() => refetch()} />
      ) : (
        <RowsSkeleton />
      )}
    </div>
  );
}
