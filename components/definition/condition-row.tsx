import Link from "next/link";
import { definitionHref } from "#components/shell/hrefs.ts";
import { StackedCell } from "#components/ui/stacked-cell.tsx";
import type { ConditionAdvice } from "#lib/contract/condition-advice.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { AdviceTone } from "#lib/domain/advice-tone.ts";
import { nameWords } from "./name-words.ts";

const looks: Record<AdviceTone, { sign: string; word: string; colour: string }> = {
  good: { sign: "✓", word: "in order", colour: "text-good" },
  warn: { sign: "▲", word: "worth a look", colour: "text-warning" },
  blocked: { sign: "■", word: "to be mended", colour: "text-blocked" },
  unknown: { sign: "◌", word: "not known", colour: "text-ink-soft" },
};

interface Props {
  cluster: string;
  crd: string;
  condition: CrdDetail["conditions"][number];
  /** Null until the server has explained it. */
  advice: ConditionAdvice | null;
}

/** One condition: what it means and what to do, beside the API server's own words. */
export function ConditionRow({ cluster, crd, condition, advice }: Props) {
  const { sign, word, colour } = looks[advice?.tone ?? "unknown"];
  return (
    <tr className="align-top max-md:block max-md:py-2">
      <th scope="row" className="py-1.5 pr-2 text-left font-medium [overflow-wrap:anywhere] max-md:block max-md:py-0.5">
        <span className={colour}>
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
      <StackedCell name="What to do" className={advice?.nextStep ? undefined : "text-ink-soft"}>
        {advice?.nextStep ?? (advice ? "Nothing." : "–")}
      </StackedCell>
      <StackedCell name="In its words" className="text-ink-soft">
        <span dir="auto">{condition.message || "–"}</span>
      </StackedCell>
    </tr>
  );
}

function Collisions({ cluster, crd, collisions }: { cluster: string; crd: string; collisions: ConditionAdvice["collisions"] }) {
  return (
    <ul aria-label="Names that are taken" className="flex flex-col gap-1 pt-1.5">
      {collisions.map(({ role, name, heldBy }) => (
        <li key={`${role} ${name}`}>
          {nameWords[role]} <span className="font-mono">{name}</span> is the {nameWords[heldBy.role]} of{" "}
          {heldBy.crd === crd ? (
            "this definition itself"
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
