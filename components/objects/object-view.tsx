"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, useQueryStates } from "nuqs";
import { objectsHref } from "#components/hrefs.ts";
import { RetryNotice } from "#components/shared/api-error-notice.tsx";
import { DefinitionBreadcrumb } from "#components/shared/breadcrumbs.tsx";
import { KubectlBlock } from "#components/shared/kubectl-block.tsx";
import { LoadFailure } from "#components/shared/load-failure.tsx";
import { ResourceVersion } from "#components/shared/names.tsx";
import { Fact } from "#components/ui/fact.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { CustomObject as ReadObject } from "#lib/contract/objects/custom-object.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { shownName } from "#lib/domain/wording/quoted.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { useCrd } from "#lib/queries/live/use-cluster-data.ts";
import { customObjectQuery } from "#lib/queries/objects/object-queries.ts";
import { ManagedFieldsTable } from "./managed-fields-table.tsx";
import { ObjectBeside } from "./object-beside.tsx";
import { linesAtPath } from "./object-lines.ts";
import { ObjectText } from "./object-text.tsx";
import { RowsSkeleton } from "./rows-skeleton.tsx";
import { ServedVersionSelect, shownVersion, VersionSelect } from "./version-select.tsx";

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
          <h1 className="pt-2 pb-4 font-mono text-lg font-semibold [overflow-wrap:anywhere]">{shownName(name)}</h1>
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

interface Props {
  cluster: string;
  crd: CrdDetail;
  object: { namespace: string; name: string };
  version: string;
}

const shownParsers = { version: parseAsString, beside: parseAsString, at: parseAsString };

/** One object at a version, optionally beside another version, and the managers of its fields. */
function CustomObject({ cluster, crd, object, version }: Props) {
  const { data, error, isFetching, refetch } = useQuery(customObjectQuery(cluster, crd.name, object, version));
  const [{ beside: asked, at }, setView] = useQueryStates(shownParsers);
  const beside = asked === version ? null : asked;
  // If the next version is the one beside it, the two swap.
  const showAt = (next: string) => setView({ version: next, beside: next === beside ? version : beside });
  return (
    <>
      <DefinitionBreadcrumb cluster={cluster} crd={crd.name}>
        <span aria-hidden>/</span>
        <Link
          href={objectsHref(cluster, crd.name, { version })}
          prefetch={false}
          className="underline-offset-2 hover:text-ink hover:underline"
        >
          objects
        </Link>
      </DefinitionBreadcrumb>
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-2 pt-2">
        <h1 className="min-w-0 font-mono text-lg font-semibold [overflow-wrap:anywhere]">{shownName(fullName(object))}</h1>
        <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
          <VersionSelect crd={crd} version={version} onChange={showAt} />
          <BesideSelect crd={crd} version={version} beside={beside} onChange={(next) => setView({ beside: next })} />
        </div>
      </div>
      {data ? (
        <>
          <ObjectFacts object={data} />
          <Section
            title="Object"
            aside={
              <p>
                As the API server returns it at {beside === null ? version : `${version} and ${beside}`}, whatever version it is stored as.
                Its managedFields are below.
              </p>
            }
          >
            {at !== null && beside === null && data.text !== null && linesAtPath(data.text, at).size === 0 ? (
              <p className="pb-2 text-sm">It doesn't have {at} now.</p>
            ) : null}
            {beside === null ? (
              <ObjectText cluster={cluster} crd={crd.name} object={data} label="The object" copyLabel="Copy the object" at={at} />
            ) : (
              <ObjectBeside cluster={cluster} crd={crd.name} shown={data} beside={beside} at={at} onReadAgain={() => refetch()} />
            )}
          </Section>
          <Section title="Managed fields" aside={<p>Who set which fields, and at which version.</p>}>
            <ManagedFieldsTable crd={crd} entries={data.managedFields} />
          </Section>
          <Section title="With kubectl">
            <KubectlBlock command={(kubectl) => objectCommand(kubectl, crd, object, version)} copyLabel="Copy the command" />
          </Section>
        </>
      ) : error ? (
        <div className="pt-4">
          <RetryNotice {...{ error, isFetching, refetch }} />
        </div>
      ) : (
        <div className="pt-4">
          <RowsSkeleton />
        </div>
      )}
    </>
  );
}

/** The kubectl command for the same object at the same version, with its managedFields. */
export function objectCommand(
  kubectl: string,
  crd: Pick<CrdDetail, "plural" | "group">,
  object: { namespace: string; name: string },
  version: string,
): string {
  const namespace = object.namespace ? ` --namespace ${shellQuoted(object.namespace)}` : "";
  const resource = shellQuoted(`${crd.plural}.${version}.${crd.group}`);
  return `${kubectl} get ${resource} ${shellQuoted(object.name)}${namespace} -o json --show-managed-fields`;
}

interface BesideSelectProps {
  crd: CrdDetail;
  /** The version shown in any case. */
  version: string;
  beside: string | null;
  onChange: (beside: string | null) => void;
}

/** Chooses a second version to show the object at; renders nothing if there is no other. */
function BesideSelect({ crd, version, beside, onChange }: BesideSelectProps) {
  const hasOther = crd.versions.some(({ name, served }) => served && name !== version);
  if (!hasOther && beside === null) return null;
  return (
    <ServedVersionSelect
      label="Compare with"
      crd={crd}
      value={beside ?? ""}
      except={version}
      none="none"
      onChange={(chosen) => onChange(chosen || null)}
    />
  );
}

/** What identifies this state of the object. */
function ObjectFacts({ object }: { object: ReadObject }) {
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 pt-2 pb-4 text-sm">
      <Fact name="resourceVersion">
        <ResourceVersion value={object.resourceVersion} />
      </Fact>
      <Fact name="uid">
        <span className="font-mono text-xs">{object.uid}</span>
      </Fact>
      <Fact name="Read">
        <Time at={object.asOf} seconds />
      </Fact>
    </dl>
  );
}
