import { CodeBlock } from "#components/ui/code-block.tsx";
import { formatCountOf } from "#components/ui/format-count.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { EventsRead, History } from "#lib/contract/history.ts";

/** How far back the history can know, and why not further. */
export function HistoryReach({ history }: { history: History }) {
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
