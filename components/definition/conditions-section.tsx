"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useId } from "react";
import { definitionHref } from "#components/hrefs.ts";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import type { MarkLook } from "#components/shared/marks.tsx";
import { ObjectLink } from "#components/shared/object-link.tsx";
import { Section } from "#components/ui/section.tsx";
import { StackedCell, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { ConditionAdvice, CrdDetail } from "#lib/contract/definition/crd.ts";
import { type Finalizers, MOST_MORE_FINALIZERS } from "#lib/contract/definition/finalizers.ts";
import { type AdviceTone, MOST_EXPLAINED } from "#lib/domain/definition/condition-advice.ts";
import type { NameRole } from "#lib/domain/definition/name-collisions.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { finalizersQuery } from "#lib/queries/definition/crd-queries.ts";

const columns = [{ name: "Condition", width: "w-52" }, { name: "Meaning" }, { name: "Next step" }, { name: "Message", width: "w-56" }];

/** Real definitions have a few, but whoever may write one could give it thousands. */
const MOST_FINALIZERS = 50;

/** The definition's conditions with their meaning and next step; rows become blocks on narrow screens. */
export function ConditionsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const shown = crd.conditions.slice(0, MOST_EXPLAINED);
  const more = crd.conditions.length - shown.length;
  return (
    <Section title="Conditions" aside={<p>The conditions that the API server sets, explained.</p>}>
      {crd.conditions.length === 0 ? (
        <p className="text-ink-soft">No conditions yet</p>
      ) : (
        <Table label="Conditions" columns={columns} stacks>
          {shown.map((condition, index) => (
            <ConditionRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a type may occur more than once.
              key={`${index} ${condition.type}`}
              cluster={cluster}
              crd={crd.name}
              condition={condition}
              advice={adviceOn(crd, index)}
            />
          ))}
        </Table>
      )}
      {more > 0 ? <p>And {formatCountOf(more, "more condition")}.</p> : null}
      {crd.deletionTimestamp ? <DeletionHolders cluster={cluster} crd={crd} /> : null}
    </Section>
  );
}

/** What the server has said of this condition; null if it has not seen it there yet. */
function adviceOn(crd: Pick<CrdDetail, "conditions" | "conditionAdvice">, index: number): ConditionAdvice | null {
  const advice = crd.conditionAdvice[index];
  return advice?.type === crd.conditions[index]?.type ? (advice ?? null) : null;
}

/** What blocks the definition's deletion: its finalizers and those of its objects. */
function DeletionHolders({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const id = useId();
  const { data, error } = useQuery(finalizersQuery(cluster, crd.name));
  return (
    <section aria-labelledby={id} className="mt-4 flex flex-col gap-2 border-l-2 border-warning bg-warning-wash px-3 py-2 text-sm">
      <h3 id={id} className="font-medium">
        Waiting for finalizers
      </h3>
      {crd.finalizers.length > 0 ? (
        <p className="[overflow-wrap:anywhere]">
          On the definition: <span className="font-mono text-xs">{firstOf(crd.finalizers, MOST_FINALIZERS)}</span>
        </p>
      ) : null}
      {data ? <Objects cluster={cluster} crd={crd.name} held={data} /> : error ? null : <span className="skeleton block h-5 w-64" />}
      {error ? <ApiErrorNotice error={error} /> : null}
      <p className="text-ink-soft">
        crdshift never removes finalizers: the controller's cleanup would be skipped, and leftovers would outlive the objects.
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
                <li key={fullName(object)}>
                  <ObjectLink cluster={cluster} crd={crd} object={object} />
                </li>
              ))}
              {objects > examples.length ? <li className="text-ink-soft">and {formatCount(objects - examples.length)} more</li> : null}
            </ul>
          </li>
        ))}
      </ul>
      {held.moreFinalizers > 0 ? (
        <p>
          And {held.moreFinalizers >= MOST_MORE_FINALIZERS ? "at least " : ""}
          {formatCountOf(held.moreFinalizers, "other finalizer")}.
        </p>
      ) : null}
    </>
  );
}

function left({ total, read, free, notDeleted }: Finalizers): string {
  if (total === 0) return "No objects are left.";
  const sentences = [
    `${formatCountOf(total, "object")} ${total === 1 ? "is" : "are"} left.`,
    ...(read < total ? [`The following covers only the first ${formatCount(read)}.`] : []),
    ...(free > 0 ? [`${formatCountOf(free, "has", "have")} no finalizer.`] : []),
    ...(notDeleted > 0 ? [`${formatCountOf(notDeleted, "is", "are")} not marked for deletion yet.`] : []),
  ];
  return sentences.join(" ");
}

const looks: Record<AdviceTone, MarkLook> = {
  good: { sign: "✓", word: "OK", color: "text-good" },
  warn: { sign: "▲", word: "warning", color: "text-warning" },
  blocked: { sign: "■", word: "error", color: "text-blocked" },
  unknown: { sign: "◌", word: "unknown", color: "text-ink-soft" },
};

interface Props {
  cluster: string;
  crd: string;
  condition: CrdDetail["conditions"][number];
  /** Null until the server has explained the condition. */
  advice: ConditionAdvice | null;
}

/** One condition: its meaning, next step and message. */
function ConditionRow({ cluster, crd, condition, advice }: Props) {
  const { sign, word, color } = looks[advice?.tone ?? "unknown"];
  return (
    <tr className="align-top max-md:block max-md:py-2">
      <th scope="row" className="py-1.5 pr-2 text-left font-medium [overflow-wrap:anywhere] max-md:block max-md:py-0.5">
        <span className={color}>
          <span aria-hidden className="inline-block w-4">
            {sign}
          </span>
          <span className="sr-only">{word}: </span>
        </span>
        {condition.type}
        <span className="block pl-4 text-xs font-normal text-ink-soft">
          {condition.status}
          {condition.reason ? `, ${condition.reason}` : null}
        </span>
      </th>
      <StackedCell name="Meaning">
        {advice?.meaning ?? "–"}
        {advice && advice.collisions.length > 0 ? <Collisions cluster={cluster} crd={crd} collisions={advice.collisions} /> : null}
      </StackedCell>
      <StackedCell name="Next step" className={advice?.nextStep ? undefined : "text-ink-soft"}>
        {advice?.nextStep ?? (advice ? "None" : "–")}
      </StackedCell>
      <StackedCell name="Message" className="text-ink-soft">
        <span dir="auto">{condition.message || "–"}</span>
      </StackedCell>
    </tr>
  );
}

function Collisions({ cluster, crd, collisions }: { cluster: string; crd: string; collisions: ConditionAdvice["collisions"] }) {
  return (
    <ul aria-label="Taken names" className="flex flex-col gap-1 pt-1.5">
      {collisions.map(({ role, name, heldBy }) => (
        <li key={`${role} ${name}`}>
          {nameWords[role]} <span className="font-mono">{name}</span> is the {nameWords[heldBy.role]} of{" "}
          {heldBy.crd === crd ? (
            "this definition"
          ) : (
            <Link href={definitionHref(cluster, heldBy.crd)} prefetch={false} className="underline underline-offset-2 hover:text-ink-soft">
              {heldBy.crd}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The labels of a definition's names. */
const nameWords: Record<NameRole, string> = {
  plural: "plural",
  singular: "singular",
  shortNames: "short name",
  kind: "kind",
  listKind: "list kind",
};
