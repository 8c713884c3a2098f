"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { ObjectLink } from "#components/crd/object-link.tsx";
import { objectName } from "#components/crd/object-name.ts";
import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { Finalizers } from "#lib/contract/finalizers.ts";
import { finalizersQuery } from "#lib/queries/finalizers-query.ts";

/** What a deleted definition waits for: its own finalizers, and those of its objects. */
export function DeletionHolders({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const id = useId();
  const { data, error } = useQuery(finalizersQuery(cluster, crd.name));
  return (
    <section aria-labelledby={id} className="mt-4 flex flex-col gap-2 border-l-2 border-warning bg-warning-wash px-3 py-2 text-sm">
      <h3 id={id} className="font-medium">
        What holds the deletion
      </h3>
      {crd.finalizers.length > 0 ? (
        <p className="[overflow-wrap:anywhere]">
          The definition itself: <span className="font-mono text-xs">{crd.finalizers.join(", ")}</span>
        </p>
      ) : null}
      {data ? <Objects cluster={cluster} crd={crd.name} held={data} /> : error ? null : <span className="skeleton block h-5 w-64" />}
      {error ? <ApiErrorNotice error={error} /> : null}
      <p className="text-ink-soft">
        crdshift takes no finalizer away: what its controller still has to do would be left undone, and outlive the objects.
      </p>
    </section>
  );
}

function Objects({ cluster, crd, held }: { cluster: string; crd: string; held: Finalizers }) {
  return (
    <>
      <p>
        {left(held)} Seen at <Time at={held.asOf} seconds />.
      </p>
      <ul aria-label="Finalizers of objects" className="flex flex-col gap-2 empty:hidden">
        {held.finalizers.map(({ finalizer, objects, examples }) => (
          <li key={finalizer} className="flex flex-col gap-1">
            <span className="[overflow-wrap:anywhere]">
              <span className="font-mono text-xs">{finalizer}</span> holds {formatCountOf(objects, "object")}:
            </span>
            <ul className="flex flex-wrap gap-x-4 gap-y-1 pl-4 text-xs">
              {examples.map((object) => (
                <li key={objectName(object)}>
                  <ObjectLink cluster={cluster} crd={crd} object={object} />
                </li>
              ))}
              {objects > examples.length ? <li className="text-ink-soft">and {formatCount(objects - examples.length)} more</li> : null}
            </ul>
          </li>
        ))}
      </ul>
      {held.moreFinalizers > 0 ? <p>{formatCountOf(held.moreFinalizers, "other finalizer")} beside these.</p> : null}
    </>
  );
}

function left({ total, read, free, notDeleted }: Finalizers): string {
  if (total === 0) return "No object is left.";
  const sentences = [
    `${formatCountOf(total, "object")} ${total === 1 ? "is" : "are"} left.`,
    ...(read < total ? [`The first ${formatCount(read)} were looked at; what follows is about these.`] : []),
    ...(free > 0 ? [`${formatCountOf(free, "has", "have")} no finalizer.`] : []),
    ...(notDeleted > 0 ? [`${formatCountOf(notDeleted, "is", "are")} not marked for deletion yet.`] : []),
  ];
  return sentences.join(" ");
}
