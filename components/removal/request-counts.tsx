"use client";

import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { formatCount } from "#components/ui/format-count.ts";
import { formatDuration } from "#components/ui/format-duration.ts";
import { useNow } from "#components/ui/use-now.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { VersionRequests } from "#lib/contract/version-requests.ts";
import { type RequestsSeen, requestGrowth } from "#lib/domain/request-growth.ts";
import { serverNow } from "#lib/queries/server-contact.ts";
import { deprecatedText, openWatchesText, otherVersionsText } from "./request-words.ts";

const columns = [{ name: "Verb" }, { name: "Answer" }, { name: "Requests", numeric: true }];

interface Props {
  crd: CrdDetail;
  version: string;
  counted: VersionRequests;
  /** Of each API server that has answered: its first answer, and its latest. */
  seen: readonly RequestsSeen<VersionRequests>[];
}

/** What the API server that answered last has counted at a version, and what was added while it was looked at. */
export function RequestCounts({ crd, version, counted, seen }: Props) {
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
