"use client";

import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { OneClickButton } from "#components/crd/rights/one-click-button.tsx";
import { Button } from "#components/ui/button.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time, useNow } from "#components/ui/time.tsx";
import type { Conversion } from "#lib/contract/definition/conversion.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { unservedBecause } from "#lib/domain/definition/stored-versions.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { conversionProbeQuery, conversionQuery } from "#lib/queries/definition/conversion-queries.ts";
import { putBackConversion } from "#lib/queries/definition/removal-mutations.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";
import { CertificateTable } from "./certificate-table.tsx";
import { ConversionFacts } from "./conversion-facts.tsx";
import { DropConversionButton } from "./drop-conversion-button.tsx";
import { probeMeaning } from "./probe-meaning.ts";
import { ProbeTable } from "./probe-table.tsx";
import { SchemaDifferences } from "./schema-differences.tsx";

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
          <SchemaDifferences conversion={data} />
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

const looks: Record<Finding["severity"], { sign: string; word: string; colour: string }> = {
  fail: { sign: "✕", word: "fails", colour: "text-blocked" },
  warn: { sign: "▲", word: "warning", colour: "text-warning" },
  info: { sign: "·", word: "note", colour: "text-ink-soft" },
};

/** Problems found in the definition, worst first, each with its next step. */
function ConversionFindings({ findings }: { findings: Finding[] }) {
  return (
    <ul aria-label="Findings" className="flex max-w-3xl flex-col divide-y divide-line border-y border-line text-sm">
      {findings.map(({ severity, message, nextStep }) => (
        <li key={message} className="flex flex-wrap gap-x-3 gap-y-0.5 py-2">
          <span className={clsx("w-20 shrink-0 font-medium", looks[severity].colour)}>
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

/** On request, reads one object at each served version and explains the result. */
function ConversionProbe({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error, isFetching, refetch } = useQuery(conversionProbeQuery(cluster, crd.name, crd.generation));
  const now = useNow(5_000, serverNow);
  if (unservedBecause(crd) !== null || !crd.versions.some(({ served }) => served)) {
    return <p className="text-sm text-ink-soft">No version is served, so there is nothing to probe.</p>;
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <Button onClick={() => refetch()} disabled={isFetching}>
          {isFetching ? "Probing…" : data ? "Probe again" : crd.versions.length > 1 ? "Probe conversion" : "Probe reading"}
        </Button>
        <p className="text-ink-soft">
          {data && !isFetching
            ? `probed ${formatDuration(now - Date.parse(data.asOf))} ago`
            : "Reads one object at each served version. Writes nothing."}
        </p>
        <span role="status" className="sr-only">
          {isFetching ? "Probing" : data ? "Probed" : ""}
        </span>
      </div>
      {error && !isFetching ? <ApiErrorNotice error={error} /> : null}
      {data ? (
        <>
          <ProbeTable probe={data} />
          <p className="max-w-3xl text-xs text-ink-soft">{probeMeaning(data, crd.conversion)}</p>
        </>
      ) : null}
    </div>
  );
}

/** Drops a webhook that is no longer needed, or puts a dropped one back. */
function WebhookChange({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { droppedConversion } = crd;
  if (droppedConversion) {
    const { target, droppedAt, by } = droppedConversion;
    return (
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <OneClickButton
          mutation={putBackConversion(cluster, crd.name)}
          variables={undefined}
          action="change-spec"
          label="Put the webhook back"
          pendingLabel="Putting back…"
          failure="Couldn't put the webhook back"
        />
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
          {step.refusal.message} {step.refusal.nextStep}
        </p>
      ) : null}
    </div>
  );
}
