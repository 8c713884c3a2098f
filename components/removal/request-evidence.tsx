"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { quoted } from "#components/crd/kubectl/kubectl.ts";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { formatCount } from "#components/ui/format-count.ts";
import { formatDuration } from "#components/ui/format-duration.ts";
import { Notice } from "#components/ui/notice.tsx";
import { useNow } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { VersionRequests } from "#lib/contract/definition/version-requests.ts";
import { type RequestsSeen, requestGrowth, withAnswer } from "#lib/domain/versions/request-growth.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { versionRequestsQuery } from "#lib/queries/definition/version-requests-query.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";
import { deprecatedText, openWatchesText, otherVersionsText } from "./request-words.ts";

/** What is requested at a version, as an API server counts it, or that this can't be known; and how to find out who it is. */
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
      <p className="text-ink-soft">Which client sent them only the audit log tells, where one is kept:</p>
      <div className="w-full">
        <CodeBlock text={auditCommand(crd, version)} copyLabel="Copy the command for the audit log" />
      </div>
    </section>
  );
}

function Unknown({ error, isShown }: { error: Error; isShown: boolean }) {
  const then = isShown ? "What stands below is from before." : "That no number stands here does not mean that there is no request.";
  if (!(error instanceof ApiError && error.code === "forbidden")) {
    return (
      <ApiErrorNotice error={error}>
        <p>{then}</p>
      </ApiErrorNotice>
    );
  }
  return (
    <Notice tone="warning" role="status" title="Cannot know: the cluster does not let you read the API server's counters">
      {error.clusterSays ? (
        <p dir="auto" className="font-mono text-xs">
          {error.clusterSays}
        </p>
      ) : null}
      <p>{then} Ask for a role with the verb get on the path /metrics; system:monitoring is one.</p>
    </Notice>
  );
}

/**
 * Who requested a version, most requests first, from an API server's audit log: https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
 * A watch has two entries behind its beginning.
 */
export function auditCommand(crd: Pick<CrdDetail, "group" | "plural">, version: string): string {
  const isAt = (field: string, value: string) => `.objectRef.${field} == ${JSON.stringify(value)}`;
  const which = [isAt("apiGroup", crd.group), isAt("resource", crd.plural), isAt("apiVersion", version)].join(" and ");
  const filter = `select(.stage != "RequestReceived" and ${which}) | [.user.username, .userAgent, .verb] | @tsv`;
  return `jq -r ${quoted(filter)} audit.log |\n  sort | uniq -c | sort -rn`;
}

const columns = [{ name: "Verb" }, { name: "Answer" }, { name: "Requests", numeric: true }];

interface Props {
  crd: CrdDetail;
  version: string;
  counted: VersionRequests;
  /** Of each API server that has answered: its first answer, and its latest. */
  seen: readonly RequestsSeen<VersionRequests>[];
}

/** What the API server that answered last has counted at a version, and what was added while it was looked at. */
function RequestCounts({ crd, version, counted, seen }: Props) {
  const now = useNow(5_000, serverNow);
  const ago = (at: string) => `${formatDuration(now - Date.parse(at))} ago`;
  const growth = requestGrowth(seen);
  const added = growth.get(version) ?? 0;
  const isFirst = seen.every(({ first, latest }) => first === latest);
  const [opened = counted.asOf] = seen.map(({ first }) => first.asOf).sort();
  const rows = counted.requests.filter((one) => one.version === version);
  const notes = [
    openWatchesText(version, counted),
    deprecatedText({ name: version, deprecated: crd.versions.some(({ name, deprecated }) => name === version && deprecated) }, counted),
    "crdshift's own requests are counted as well: it counts objects at the storage version, and a dry run reads at others, too.",
  ];
  return (
    <>
      <p className="text-ink-soft">
        As counted by the API server that answered
        {counted.startedAt ? `, since it started ${ago(counted.startedAt)}` : " since it started, which it does not date"}; read{" "}
        {ago(counted.asOf)}.
        {seen.length > 1
          ? ` ${formatCount(seen.length)} API servers, or starts of one, have answered by now: the table is of the last, what was added is of all.`
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
        <p>No request at {version} has been counted.</p>
      )}
      <p>
        {isFirst
          ? "It is asked again every 15 s, to see what is added."
          : `${added > 0 ? `${formatCount(added)} more` : "None added"} since this was opened ${ago(opened)}.`}
      </p>
      <p className="text-ink-soft [overflow-wrap:anywhere]">{otherVersionsText(crd.versions, version, counted, growth)}</p>
      <p className="text-ink-soft">{notes.filter(Boolean).join(" ")}</p>
    </>
  );
}
