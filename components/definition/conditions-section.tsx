import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { ConditionRow } from "./condition-row.tsx";
import { DeletionHolders } from "./deletion-holders.tsx";

const headClass = "h-8 px-2 font-medium first:pl-0 last:pr-0";

/** What the API server says of the definition, what that means, and what to do: a row each, and on a narrow screen a block each. */
export function ConditionsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  return (
    <Section title="Conditions" aside={<p>What the API server says of the definition, and what that means.</p>}>
      {crd.conditions.length === 0 ? (
        <p className="text-ink-soft">The API server has written none.</p>
      ) : (
        <table aria-label="Conditions" className="w-full table-fixed text-sm max-md:block">
          <thead className="max-md:sr-only">
            <tr className="border-b border-line text-left text-xs text-ink-soft">
              <th scope="col" className={`w-52 ${headClass}`}>
                Condition
              </th>
              <th scope="col" className={headClass}>
                What it means
              </th>
              <th scope="col" className={headClass}>
                What to do
              </th>
              <th scope="col" className={`w-56 ${headClass}`}>
                In its words
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line max-md:block">
            {crd.conditions.map((condition) => (
              <ConditionRow
                key={condition.type}
                cluster={cluster}
                crd={crd.name}
                condition={condition}
                advice={crd.conditionAdvice.find(({ type }) => type === condition.type) ?? null}
              />
            ))}
          </tbody>
        </table>
      )}
      {crd.deletionTimestamp ? <DeletionHolders cluster={cluster} crd={crd} /> : null}
    </Section>
  );
}
