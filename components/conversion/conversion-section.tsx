"use client";

import { useQuery } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { conversionQuery } from "#lib/queries/conversion-queries.ts";
import { CertificateTable } from "./certificate-table.tsx";
import { ConversionFacts } from "./conversion-facts.tsx";
import { ConversionFindings } from "./conversion-findings.tsx";
import { ConversionProbe } from "./conversion-probe.tsx";
import { SchemaDifferences } from "./schema-differences.tsx";
import { WebhookChange } from "./webhook-change.tsx";

/** How objects get from one version to another, what is wrong with that, and whether it works right now. */
export function ConversionSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error } = useQuery(conversionQuery(cluster, crd.name, crd.generation));
  return (
    <Section title="Conversion" aside={<p>How an object that is stored in one version is read and written at another.</p>}>
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
