"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { useServerNow } from "#components/shared/use-server-now.ts";
import { CodeBlock } from "#components/ui/code.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { DataCell, DataTable } from "#components/ui/table.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { VersionRequests } from "#lib/contract/definition/version-requests.ts";
import { type RequestsSeen, requestGrowth, requestsByVersion, withAnswer } from "#lib/domain/versions/request-growth.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { versionRequestsQuery } from "#lib/queries/definition/crd-queries.ts";

/** Requests at a version as an API server counts them, or why they are unknown; and how to find the clients. */
export function RequestEvidence({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const { data, error } = useQuery(versionRequestsQuery(cluster, crd.name));
  const [seen, setSeen] = useState<RequestsSeen<VersionRequests>[]>([]);
  if (data && seen.at(-1)?.latest !== data) setSeen(withAnswer(seen, data));
  return (
    <section aria-label={`Requests at ${version}`} className="flex max-w-3xl flex-col items-start gap-2">
      <h3 className="text-sm font-medium [overflow-wrap:anywhere]">Requests at {version}</h3>
      {error ? <Unknown error={error} isShown={data !== undefined} /> : null}
      {data ? (
        <RequestCounts crd={crd} version={version} counted={data} seen={seen} />
      ) : error ? null : (
        <p role="status">Reading the API server's counters…</p>
      )}
      <p className="text-ink-soft">Only the audit log, if the cluster keeps one, shows which clients sent them:</p>
      <div className="w-full">
        <CodeBlock text={auditCommand(crd, version)} copyLabel="Copy the command for the audit log" />
      </div>
    </section>
  );
}

function Unknown({ error, isShown }: { error: Error; isShown: boolean }) {
  const then = isShown ? "The numbers below are from an earlier read." : "Missing numbers don't mean that there are no requests.";
  if (!(error instanceof ApiError && error.code === "forbidden")) {
    return (
      <ApiErrorNotice error={error}>
        <p>{then}</p>
      </ApiErrorNotice>
    );
  }
  return (
    <Notice tone="warning" role="status" title="Unknown: you don't have permission to read the API server's counters">
      {error.clusterSays ? (
        <p dir="auto" className="font-mono text-xs">
          {error.clusterSays}
        </p>
      ) : null}
      <p>{then} Ask for a role with the verb get on the path /metrics, such as system:monitoring.</p>
    </Notice>
  );
}

/**
 * Who requested a version, most requests first, from an API server's audit log. A watch has two entries: ResponseStarted and
 * ResponseComplete. Source: https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
 */
export function auditCommand(crd: Pick<CrdDetail, "group" | "plural">, version: string): string {
  const isAt = (field: string, value: string) => `.objectRef.${field} == ${JSON.stringify(value)}`;
  const which = [isAt("apiGroup", crd.group), isAt("resource", crd.plural), isAt("apiVersion", version)].join(" and ");
  const filter = `select(.stage != "RequestReceived" and ${which}) | [.user.username, .userAgent, .verb] | @tsv`;
  return `jq -r ${shellQuoted(filter)} audit.log |\n  sort | uniq -c | sort -rn`;
}

const columns = [{ name: "Verb" }, { name: "Status" }, { name: "Requests", numeric: true }];

interface Props {
  crd: CrdDetail;
  version: string;
  counted: VersionRequests;
  /** The first and the latest answer of each API server that has answered. */
  seen: readonly RequestsSeen<VersionRequests>[];
}

/** The counts of the API server that answered last, and the requests that all of them added since the first answer. */
function RequestCounts({ crd, version, counted, seen }: Props) {
  const now = useServerNow(5_000);
  const ago = (at: string) => `${formatDuration(now - Date.parse(at))} ago`;
  const growth = requestGrowth(seen);
  const added = growth.get(version) ?? 0;
  const isFirst = seen.every(({ first, latest }) => first === latest);
  const [opened = counted.asOf] = seen.map(({ first }) => first.asOf).sort();
  const rows = counted.requests.filter((one) => one.version === version);
  const notes = [
    openWatchesText(version, counted),
    deprecatedText({ name: version, deprecated: crd.versions.some(({ name, deprecated }) => name === version && deprecated) }, counted),
    "The counters include crdshift's requests: it counts objects at the storage version, and a dry run also reads at other versions.",
  ];
  return (
    <>
      <p className="text-ink-soft">
        Counted by the API server that answered
        {counted.startedAt ? `, since it started ${ago(counted.startedAt)}` : ", since it started (time unknown)"}; read {ago(counted.asOf)}
        .
        {seen.length > 1
          ? ` ${formatCount(seen.length)} API server processes have answered so far: the table shows the latest, new requests are from all.`
          : ""}
      </p>
      {rows.length > 0 ? (
        <div className="w-full max-w-md">
          <DataTable label={`Requests at ${version}`} columns={columns}>
            {rows.map(({ verb, code, subresource, requests }) => (
              <tr key={`${verb} ${code} ${subresource}`}>
                <th scope="row" className="py-1.5 pr-2 text-left font-mono text-xs leading-5 font-medium [overflow-wrap:anywhere]">
                  {verb}
                  {subresource ? ` /${subresource}` : ""}
                </th>
                <DataCell>{code === "0" ? "none" : code}</DataCell>
                <DataCell numeric>{formatCount(requests)}</DataCell>
              </tr>
            ))}
          </DataTable>
        </div>
      ) : (
        <p>No requests counted at {version}.</p>
      )}
      <p>
        {isFirst
          ? "Reads again every 15 s to show new requests."
          : `${added > 0 ? `${formatCount(added)} new` : "None new"} since you opened this ${ago(opened)}.`}
      </p>
      <p className="text-ink-soft [overflow-wrap:anywhere]">{otherVersionsText(crd.versions, version, counted, growth)}</p>
      <p className="text-ink-soft">{notes.filter(Boolean).join(" ")}</p>
    </>
  );
}

/** A sentence with the requests at other versions, including versions that the definition no longer has; empty if there are none. */
export function otherVersionsText(
  versions: CrdDetail["versions"],
  version: string,
  counted: Pick<VersionRequests, "requests">,
  growth: ReadonlyMap<string, number>,
): string {
  const requests = requestsByVersion(counted);
  const names = new Set([...versions.map(({ name }) => name), ...requests.keys()]);
  names.delete(version);
  const each = [...names].map((name) => {
    const added = growth.get(name) ?? 0;
    return `${name} ${formatCount(requests.get(name) ?? 0)}${added > 0 ? ` (${formatCount(added)} more)` : ""}`;
  });
  return each.length === 0 ? "" : `Other versions, for comparison: ${each.join(", ")}.`;
}

/** A sentence with the open watches at a version, which the counters don't include yet. */
export function openWatchesText(version: string, { openWatches }: Pick<VersionRequests, "openWatches">): string {
  const open = openWatches.find((one) => one.version === version)?.watches ?? 0;
  const now = open === 0 ? "none is open now" : `${formatCountOf(open, "more is", "more are")} open now`;
  return `A watch is counted when it ends; ${now}.`;
}

/** Whether a version was requested while deprecated; empty if it never was deprecated. */
export function deprecatedText(
  { name, deprecated }: { name: string; deprecated: boolean },
  { deprecatedRequested }: Pick<VersionRequests, "deprecatedRequested">,
): string {
  if (deprecatedRequested.some(({ version }) => version === name)) return `${name} has been requested while deprecated.`;
  if (!deprecated) return "";
  return `${name} has not been requested since it was deprecated, or since this API server started, if later.`;
}
