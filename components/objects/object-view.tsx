"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { DefinitionBreadcrumb } from "#components/crd/breadcrumbs.tsx";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { useCrd } from "#lib/queries/live/use-cluster-data.ts";
import { CustomObject } from "./custom-object.tsx";
import { RowsSkeleton } from "./rows-skeleton.tsx";
import { shownVersion } from "./version-select.tsx";

const parsers = { namespace: parseAsString.withDefault(""), version: parseAsString };

/** One object, at the version in the URL or else the definition's default. */
export function ObjectView({ cluster, crd, name }: { cluster: string; crd: string; name: string }) {
  const { data: definition, error, refetch } = useCrd(cluster, crd);
  const [{ namespace, version: asked }] = useQueryStates(parsers);
  const version = definition ? shownVersion(definition, asked) : null;
  return (
    <div className="pt-4">
      {definition && version ? (
        <CustomObject cluster={cluster} crd={definition} object={{ namespace, name }} version={version} />
      ) : (
        <>
          <DefinitionBreadcrumb cluster={cluster} crd={crd} />
          <h1 className="pt-2 pb-4 font-mono text-lg font-semibold [overflow-wrap:anywhere]">{name}</h1>
          {definition ? (
            <p>No version is served, so the API server returns no objects.</p>
          ) : error ? (
            <LoadFailure error={error} subject={crd} onRetry={() => refetch()} />
          ) : (
            <RowsSkeleton />
          )}
        </>
      )}
    </div>
  );
}
