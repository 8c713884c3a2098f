"use client";

import { clsx } from "clsx";
import { Button } from "#components/ui/button.tsx";
import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { Time, useNow } from "#components/ui/time.tsx";
import { useFold } from "#components/ui/use-fold.ts";
import type { CaCertificate, ConversionWebhook } from "#lib/contract/definition/conversion.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

const SHOWN = 3;

const columns = [{ name: "CA certificate" }, { name: "Issued by" }, { name: "Valid from" }, { name: "Expires" }, { name: "Now" }];

/** The CA certificates that the API server trusts for the webhook. */
export function CertificateTable({ ca }: { ca: NonNullable<ConversionWebhook["ca"]> }) {
  const now = useNow(60_000, serverNow);
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
  const [sign, word, colour] =
    Date.parse(certificate.notAfter) < now
      ? ["■", "expired", "text-blocked"]
      : Date.parse(certificate.notBefore) > now
        ? ["○", "not valid yet", "text-warning"]
        : ["✓", "valid", "text-good"];
  return (
    <span className={clsx(colour)}>
      <span aria-hidden>{sign}</span> {word}
    </span>
  );
}
