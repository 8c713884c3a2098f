"use client";

import { clsx } from "clsx";
import { useServerNow } from "#components/shared/use-server-now.ts";
import { FactRow } from "#components/ui/fact.tsx";
import { Button } from "#components/ui/form.tsx";
import { DataCell, DataTable, useFold } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CaCertificate, Conversion, ConversionTarget, ConversionWebhook } from "#lib/contract/definition/conversion.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";

/** The conversion strategy, and the webhook's address and settings. */
export function ConversionFacts({ conversion: { strategy, webhook } }: { conversion: Conversion }) {
  return (
    <dl className="grid max-w-3xl grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 text-sm">
      <FactRow name="Strategy">
        {strategy}
        {webhook ? null : <span className="text-ink-soft">: the API server changes only the apiVersion</span>}
      </FactRow>
      {webhook ? <WebhookFacts webhook={webhook} /> : null}
    </dl>
  );
}

function WebhookFacts({ webhook: { target, conversionReviewVersions, ca } }: { webhook: ConversionWebhook }) {
  const { path, port } = webhookAddress(target);
  return (
    <>
      <FactRow name="Webhook">
        <Target target={target} />
      </FactRow>
      <FactRow name="Path">{path === null ? <Absent text="not set" /> : <Code text={path} />}</FactRow>
      <FactRow name="Port">{port === null ? <Absent text="unknown" /> : port}</FactRow>
      <FactRow name="Review versions">
        {conversionReviewVersions.length > 0 ? <Code text={conversionReviewVersions.join(", ")} /> : <Absent text="none" />}
      </FactRow>
      <FactRow name="CA bundle">
        {ca === null ? (
          <Absent text="not set" />
        ) : ca.certificates.length === 0 ? (
          <Absent text="no readable certificate" />
        ) : (
          certificates(ca.certificates.length + ca.moreCertificates)
        )}
      </FactRow>
    </>
  );
}

function Target({ target }: { target: ConversionTarget }) {
  switch (target.kind) {
    case "url":
      return (
        <>
          URL <Code text={target.url} />
        </>
      );
    case "service":
      return (
        <>
          service <Code text={target.name} /> in namespace <Code text={target.namespace} />
        </>
      );
    case "nowhere":
      return <Absent text="no URL or service" />;
    default:
      return target satisfies never;
  }
}

function Code({ text }: { text: string }) {
  return (
    <code dir="auto" className="font-mono text-xs">
      {text}
    </code>
  );
}

function Absent({ text }: { text: string }) {
  return <span className="text-ink-soft italic">{text}</span>;
}

function certificates(count: number): string {
  return count === 1 ? "1 certificate, below" : `${count} certificates, below`;
}

const HTTPS_PORT = 443;

/** A webhook's path and port, from its service or URL; null if missing. */
export function webhookAddress(target: ConversionTarget): { path: string | null; port: number | null } {
  switch (target.kind) {
    case "service":
      return { path: target.path, port: target.port };
    case "url": {
      const url = URL.parse(target.url);
      return { path: url?.pathname ?? null, port: url ? Number(url.port || HTTPS_PORT) : null };
    }
    case "nowhere":
      return { path: null, port: null };
    default:
      return target satisfies never;
  }
}

const SHOWN = 3;

const columns = [{ name: "CA certificate" }, { name: "Issued by" }, { name: "Valid from" }, { name: "Expires" }, { name: "Now" }];

/** The CA certificates that the API server trusts for the webhook. */
export function CertificateTable({ ca }: { ca: NonNullable<ConversionWebhook["ca"]> }) {
  const now = useServerNow(60_000);
  const { shown, folded, unfold } = useFold(ca.certificates, SHOWN);
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="w-full">
        <DataTable label="CA certificates" columns={columns}>
          {shown.map((certificate, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a bundle may contain duplicates
            <tr key={index} className="align-top">
              <th scope="row" className="min-w-48 py-1.5 pr-2 text-left font-medium [overflow-wrap:anywhere]">
                <span dir="auto">{certificate.subject || "unnamed"}</span>
              </th>
              <DataCell className="min-w-48 [overflow-wrap:anywhere] text-ink-soft">
                <span dir="auto">{certificate.issuer === certificate.subject ? "self-signed" : certificate.issuer || "unnamed"}</span>
              </DataCell>
              <DataCell>
                <Time at={certificate.notBefore} dated />
              </DataCell>
              <DataCell>
                <Time at={certificate.notAfter} dated />
              </DataCell>
              <DataCell className="whitespace-nowrap">
                <Standing certificate={certificate} now={now} />
              </DataCell>
            </tr>
          ))}
        </DataTable>
      </div>
      {folded > 0 ? <Button onClick={unfold}>Show {formatCount(folded)} more</Button> : null}
      {folded === 0 && ca.moreCertificates > 0 ? (
        <p className="text-sm text-ink-soft">and {formatCount(ca.moreCertificates)} more certificates</p>
      ) : null}
    </div>
  );
}

function Standing({ certificate, now }: { certificate: CaCertificate; now: number }) {
  const [sign, word, color] =
    Date.parse(certificate.notAfter) < now
      ? ["■", "expired", "text-blocked"]
      : Date.parse(certificate.notBefore) > now
        ? ["○", "not valid yet", "text-warning"]
        : ["✓", "valid", "text-good"];
  return (
    <span className={clsx(color)}>
      <span aria-hidden>{sign}</span> {word}
    </span>
  );
}
