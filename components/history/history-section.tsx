"use client";

import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import { useFold } from "#components/ui/use-fold.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { EventsRead, History } from "#lib/contract/rewrite/history.ts";
import { useHistory, useRewrites } from "#lib/queries/live/use-cluster-data.ts";
import { HistoryRow } from "./history-row.tsx";

/** What crdshift did to the definition, newest first, and how far back that is known. */
export function HistorySection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error } = useHistory(cluster, crd.name);
  return (
    <Section title="History" aside={<p>What crdshift did here, whoever ran it.</p>}>
      {data ? (
        <div className="flex flex-col gap-3">
          {data.items.length > 0 ? (
            <HistoryTable cluster={cluster} crd={crd.name} items={data.items} more={data.more} />
          ) : (
            <p className="text-ink-soft">Nothing is known.</p>
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

/** How far back the history can know, and why not further. */
function HistoryReach({ history }: { history: History }) {
  const { annotation, events } = history;
  return (
    <div className="flex flex-col gap-2 text-xs text-ink-soft">
      <p>
        {annotation.readable
          ? `The definition's annotation remembers the last ${annotation.mostRuns} rewrites (${annotation.runs} now), and the newest dry run, proof and prune.`
          : "The definition's annotation is not one that crdshift can read, so nothing is known from it."}
      </p>
      <EventsReach events={events} />
    </div>
  );
}

const KEPT =
  "The API server keeps Events for its --event-ttl, an hour unless it was set otherwise. " +
  "They are as trustworthy as the right to create them: whoever may create Events in namespace default can write such ones, too.";

function EventsReach({ events }: { events: EventsRead }) {
  switch (events.state) {
    case "read":
      if (events.oldest === null) return <p>There are no Events of crdshift about this definition. {KEPT}</p>;
      if (!events.complete) return <Incomplete count={events.count} />;
      return (
        <p>
          {formatCountOf(events.count, "Event")} since <Time at={events.oldest} seconds />. {KEPT}
        </p>
      );
    case "denied":
      return (
        <Notice tone="warning" title="Events may not be read">
          <p>
            What only Events tell is missing: who paused, resumed or cancelled a run. Ask for a role that allows to {events.verb}{" "}
            {events.resource} in namespace {events.namespace}.
          </p>
          <div className="w-full">
            <CodeBlock text={events.message} copyLabel="Copy the cluster's answer" />
          </div>
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="warning" title="Events could not be read">
          <p dir="auto">{events.message}</p>
          <p>What only Events tell is missing. It is tried again by itself.</p>
        </Notice>
      );
    default:
      return events satisfies never;
  }
}

function Incomplete({ count }: { count: number }) {
  return (
    <Notice tone="warning" title={`Not all Events were read: ${formatCountOf(count, "was", "were")}, and there are more`}>
      <p>
        The API server gives them by name, not by time: what is missing here may be old or new. crdshift writes a handful for each rewrite;
        who wrote so many, the API server's audit log tells. {KEPT}
      </p>
    </Notice>
  );
}

interface Props {
  cluster: string;
  crd: string;
  items: History["items"];
  /** How many older ones are left out of these. */
  more: number;
}

/** At first; the rest when somebody asks for it. */
const SHOWN = 50;

const headClass = "h-8 px-2 font-medium first:pl-0 last:pr-0";

/** What happened, newest first: a row each, and on a narrow screen a block each. */
function HistoryTable({ cluster, crd, items, more }: Props) {
  const remembered = new Set(useRewrites(cluster, crd).data?.items.map(({ id }) => id));
  const { shown, folded, unfold } = useFold(items, SHOWN);
  return (
    <div className="flex flex-col items-start gap-2">
      <table aria-label="History" className="w-full text-sm max-md:block">
        <thead className="max-md:sr-only">
          <tr className="border-b border-line text-left text-xs text-ink-soft">
            <th scope="col" className={headClass}>
              When
            </th>
            <th scope="col" className={headClass}>
              What
            </th>
            <th
              scope="col"
              title="The user as the API server calls it. “As an Event says”: the annotation names nobody, and an Event may name anybody."
              className={headClass}
            >
              By
            </th>
            <th scope="col" className={headClass}>
              In words
            </th>
            <th scope="col" className={headClass}>
              Known from
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-md:block">
          {shown.map((entry, index) => (
            <HistoryRow
              // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be alike in all that is known of them
              key={`${entry.kind} ${entry.at} ${index}`}
              cluster={cluster}
              crd={crd}
              entry={entry}
              isRemembered={entry.run !== null && remembered.has(entry.run)}
            />
          ))}
        </tbody>
      </table>
      {folded > 0 ? <Button onClick={unfold}>Show {formatCount(folded)} more</Button> : null}
      {more > 0 && folded === 0 ? (
        <p className="text-xs text-ink-soft">
          {formatCountOf(more, "older entry", "older entries")}, known from Events alone, {more === 1 ? "is" : "are"} left out here.
        </p>
      ) : null}
    </div>
  );
}
