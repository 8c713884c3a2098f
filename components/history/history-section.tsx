"use client";

import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { CodeBlock } from "#components/ui/code.tsx";
import { Button } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import { Table, useFold } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { EventsRead, History } from "#lib/contract/rewrite/history.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { useHistory, useRewrites } from "#lib/queries/live/use-cluster-data.ts";
import { HistoryRow } from "./history-row.tsx";

/** What crdshift did to the definition, newest first, and how far back the history goes. */
export function HistorySection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error } = useHistory(cluster, crd.name);
  return (
    <Section title="History" aside={<p>What crdshift did here, for any user.</p>}>
      {data ? (
        <div className="flex flex-col gap-3">
          {data.items.length > 0 ? (
            <HistoryTable cluster={cluster} crd={crd.name} items={data.items} more={data.more} />
          ) : (
            <p className="text-ink-soft">No activity yet</p>
          )}
          <HistoryReach history={data} />
        </div>
      ) : error ? (
        <ApiErrorNotice error={error} />
      ) : (
        <span className="skeleton block h-5 w-64" />
      )}
    </Section>
  );
}

/** How far back the history goes, and why not further. */
function HistoryReach({ history }: { history: History }) {
  const { annotation, events } = history;
  return (
    <div className="flex flex-col gap-2 text-xs text-ink-soft">
      <p>
        {annotation.readable
          ? `The definition's annotation keeps the last ${annotation.mostRuns} rewrites (currently ${annotation.runs}) and the newest dry run, proof and prune.`
          : "crdshift can't read the definition's annotation, so this history lacks its entries."}
      </p>
      <EventsReach events={events} />
    </div>
  );
}

const KEPT =
  "The API server keeps Events for its --event-ttl, by default an hour. " +
  "Anyone who can create Events in namespace default can forge them.";

function EventsReach({ events }: { events: EventsRead }) {
  switch (events.state) {
    case "read":
      if (events.oldest === null) return <p>No Events from crdshift for this definition. {KEPT}</p>;
      if (!events.complete) return <Incomplete count={events.count} />;
      return (
        <p>
          {formatCountOf(events.count, "Event")} since <Time at={events.oldest} seconds />. {KEPT}
        </p>
      );
    case "denied":
      return (
        <Notice tone="warning" title="You can't read Events">
          <p>
            Without them you can't see who paused, resumed or cancelled a rewrite. Ask for a role with the {events.verb} verb on{" "}
            {events.resource} in namespace {events.namespace}.
          </p>
          <div className="w-full">
            <CodeBlock text={events.message} copyLabel="Copy the cluster's answer" />
          </div>
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="warning" title="Couldn't read Events">
          <p dir="auto">{events.message}</p>
          <p>Entries known only from Events are missing. crdshift retries automatically.</p>
        </Notice>
      );
    default:
      return events satisfies never;
  }
}

function Incomplete({ count }: { count: number }) {
  return (
    <Notice tone="warning" title={`Only ${formatCountOf(count, "Event")} read; there are more`}>
      <p>
        The API server lists Events by name, not by time, so the missing ones may be old or new. crdshift writes a handful per rewrite;
        check the API server's audit log for who wrote so many. {KEPT}
      </p>
    </Notice>
  );
}

interface Props {
  cluster: string;
  crd: string;
  items: History["items"];
  /** How many older entries are left out. */
  more: number;
}

/** Entries shown until the list is expanded. */
const SHOWN = 50;

const columns = [
  { name: "When" },
  { name: "Event" },
  {
    name: "By",
    hint: "The username that the API server reports. “From an Event”: the annotation names no user, and an Event can name anyone.",
  },
  { name: "Message" },
  { name: "Source" },
];

/** The entries, newest first; rows become blocks on narrow screens. */
function HistoryTable({ cluster, crd, items, more }: Props) {
  const remembered = new Set(useRewrites(cluster, crd).data?.items.map(({ id }) => id));
  const { shown, folded, unfold } = useFold(items, SHOWN);
  return (
    <div className="flex flex-col items-start gap-2">
      <Table label="History" columns={columns} stacks>
        {shown.map((entry, index) => (
          <HistoryRow
            // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be identical
            key={`${entry.kind} ${entry.at} ${index}`}
            cluster={cluster}
            crd={crd}
            entry={entry}
            isRemembered={entry.run !== null && remembered.has(entry.run)}
          />
        ))}
      </Table>
      {folded > 0 ? <Button onClick={unfold}>Show {formatCount(folded)} more</Button> : null}
      {more > 0 && folded === 0 ? (
        <p className="text-xs text-ink-soft">
          {formatCountOf(more, "older entry", "older entries")} known only from Events {more === 1 ? "is" : "are"} not shown.
        </p>
      ) : null}
    </div>
  );
}
