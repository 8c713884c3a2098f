"use client";

import { Button } from "#components/ui/button.tsx";
import { useFold } from "#components/ui/use-fold.ts";
import type { Conversion, ConversionDifference } from "#lib/contract/definition/conversion.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

const SHOWN = 4;

/** The fields that one version's schema has and another's lacks, folded by pair. */
export function SchemaDifferences({ conversion }: { conversion: Conversion }) {
  const { strategy, pairs, differences, moreDifferences, differencesComplete } = conversion;
  const { shown, folded, unfold } = useFold(differences, SHOWN);
  if (pairs === 0) return <p className="text-sm text-ink-soft">There is only one version, so nothing is converted.</p>;
  return (
    <div className="flex max-w-3xl flex-col items-start gap-2 text-sm">
      <h3 className="text-xs font-medium text-ink-soft">
        {differences.length === 0
          ? "All versions have the same fields."
          : strategy === "None"
            ? "Fields dropped when converting between versions"
            : "Fields that the webhook must carry over, since the other version has no field with that path"}
      </h3>
      {differences.length > 0 ? (
        <ul aria-label="Schema differences" className="flex w-full flex-col divide-y divide-line border-y border-line">
          {shown.map((difference) => (
            <li key={`${difference.from} ${difference.to}`} className="py-1.5">
              <Difference difference={difference} />
            </li>
          ))}
        </ul>
      ) : null}
      {folded > 0 ? <Button onClick={unfold}>Show {formatCountOf(folded, "more pair")}</Button> : null}
      {folded === 0 && moreDifferences > 0 ? (
        <p className="text-ink-soft">and {formatCountOf(moreDifferences, "more pair")} of versions</p>
      ) : null}
      {differencesComplete ? null : (
        <p className="text-ink-soft">The schemas are too large to compare completely, so there may be more fields.</p>
      )}
      {differences.some(({ fields }) => fields.some((field) => /(^|\.)\*/.test(field))) ? (
        <p className="text-xs text-ink-soft">
          <code className="font-mono">*</code> is any key that the other schema does not name.
        </p>
      ) : null}
    </div>
  );
}

function Difference({ difference: { from, to, fields, more } }: { difference: ConversionDifference }) {
  return (
    <details>
      <summary className="[overflow-wrap:anywhere]">
        <span className="font-mono text-xs">{from}</span> to <span className="font-mono text-xs">{to}</span>:{" "}
        {formatCountOf(fields.length + more, "field")}
      </summary>
      <ul aria-label={`Fields in ${from} but not in ${to}`} className="pt-1 pl-4 font-mono text-xs leading-5 text-ink-soft">
        {fields.map((field) => (
          <li key={field} dir="auto" className="[overflow-wrap:anywhere]">
            {field}
          </li>
        ))}
        {more > 0 ? <li className="font-sans">and {formatCount(more)} more</li> : null}
      </ul>
    </details>
  );
}
