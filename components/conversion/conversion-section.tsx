"use client";

import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import type { MarkLook } from "#components/shared/marks.tsx";
import { useTold } from "#components/shared/use-told.ts";
import { Button } from "#components/ui/form.tsx";
import { Section } from "#components/ui/section.tsx";
import { useFold } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Conversion, ConversionDifference } from "#lib/contract/definition/conversion.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { conversionQuery } from "#lib/queries/definition/crd-queries.ts";
import { comparisonWords } from "./comparison-words.ts";
import { CertificateTable, ConversionFacts } from "./conversion-facts.tsx";
import { ConversionProbe } from "./conversion-probe.tsx";
import { DropConversionButton } from "./drop-conversion-button.tsx";
import { PutBackWebhookButton } from "./put-back-webhook-button.tsx";

/** How objects are converted between versions, known problems, and a live probe. */
export function ConversionSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error } = useQuery(conversionQuery(cluster, crd.name, crd.generation));
  return (
    <Section title="Conversion" aside={<p>How objects stored in one version are read and written at another.</p>}>
      {data ? (
        <div className="flex flex-col gap-5">
          <ConversionFacts conversion={data} />
          {data.findings.length > 0 ? <ConversionFindings findings={data.findings} /> : null}
          <WebhookChange cluster={cluster} crd={crd} />
          {data.webhook?.ca && data.webhook.ca.certificates.length > 0 ? <CertificateTable ca={data.webhook.ca} /> : null}
          <ConversionProbe cluster={cluster} crd={crd} />
          <SchemaDifferences conversion={data} versions={crd.versions} />
        </div>
      ) : error ? (
        <ApiErrorNotice error={error} />
      ) : (
        <span className="skeleton block h-5 w-64" />
      )}
    </Section>
  );
}

type Finding = Conversion["findings"][number];

const looks: Record<Finding["severity"], MarkLook> = {
  fail: { sign: "✕", word: "fails", color: "text-blocked" },
  warn: { sign: "▲", word: "warning", color: "text-warning" },
  info: { sign: "·", word: "note", color: "text-ink-soft" },
};

/** Problems found in the definition, worst first, each with its next step. */
function ConversionFindings({ findings }: { findings: Finding[] }) {
  return (
    <ul aria-label="Findings" className="flex max-w-3xl flex-col divide-y divide-line border-y border-line text-sm">
      {findings.map(({ severity, message, nextStep }) => (
        <li key={message} className="flex flex-wrap gap-x-3 gap-y-0.5 py-2">
          <span className={clsx("w-20 shrink-0 font-medium", looks[severity].color)}>
            <span aria-hidden>{looks[severity].sign}</span> {looks[severity].word}
          </span>
          <div className="min-w-56 flex-1 [overflow-wrap:anywhere]">
            <p dir="auto">{message}</p>
            <p className="text-ink-soft">{nextStep}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Drops a webhook that is no longer needed, or puts a dropped one back. */
function WebhookChange({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { droppedConversion } = crd;
  const told = useTold();
  if (droppedConversion) {
    const { target, droppedAt, by } = droppedConversion;
    return (
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <PutBackWebhookButton cluster={cluster} crd={crd.name} />
        <p className="text-ink-soft [overflow-wrap:anywhere]">
          The webhook at <span className="font-mono text-xs">{target}</span> was dropped <Time at={droppedAt} />
          {by ? (
            <>
              {" "}
              by <span dir="auto">{by}</span>
            </>
          ) : null}
          .
        </p>
      </div>
    );
  }
  // Every version's removal path has the same step; with more than one version, all refuse it.
  const step = crd.removals[0]?.steps.find(({ name }) => name === "conversion");
  if (crd.conversion !== "Webhook" || crd.versions.length > 1 || !step) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <DropConversionButton cluster={cluster} crd={crd} disabled={step.state === "refused"} />
      {step.refusal ? (
        <p dir="auto" className="text-ink-soft [overflow-wrap:anywhere]">
          {told(`${step.refusal.message} ${step.refusal.nextStep}`)}
        </p>
      ) : null}
    </div>
  );
}

const SHOWN = 4;

/** The fields that one version's schema has and another's lacks, folded by pair. */
function SchemaDifferences({ conversion, versions }: { conversion: Conversion; versions: CrdDetail["versions"] }) {
  const { differences, moreDifferences, differencesComplete } = conversion;
  const { heading, uncompared } = comparisonWords(conversion, versions);
  const { shown, folded, unfold } = useFold(differences, SHOWN);
  return (
    <div className="flex max-w-3xl flex-col items-start gap-2 text-sm">
      {heading === null ? null : <h3 className="text-xs font-medium text-ink-soft">{heading}</h3>}
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
        <p className="text-ink-soft">
          There are too many versions to compare, or too large schemas, so there may be fields that only some versions have.
        </p>
      )}
      {uncompared === null ? null : <p className="text-ink-soft [overflow-wrap:anywhere]">{uncompared}</p>}
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
