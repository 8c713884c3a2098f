import type { ReactNode } from "react";
import type { Conversion, ConversionTarget, ConversionWebhook } from "#lib/contract/definition/conversion.ts";

/** The conversion strategy, and the webhook's address and settings. */
export function ConversionFacts({ conversion: { strategy, webhook } }: { conversion: Conversion }) {
  return (
    <dl className="grid max-w-3xl grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 text-sm">
      <Fact name="Strategy">
        {strategy}
        {webhook ? null : <span className="text-ink-soft">: the API server writes another apiVersion, and changes nothing else</span>}
      </Fact>
      {webhook ? <WebhookFacts webhook={webhook} /> : null}
    </dl>
  );
}

function WebhookFacts({ webhook: { target, conversionReviewVersions, ca } }: { webhook: ConversionWebhook }) {
  const { path, port } = webhookAddress(target);
  return (
    <>
      <Fact name="Webhook">
        <Target target={target} />
      </Fact>
      <Fact name="Path">{path === null ? <Absent text="not set" /> : <Code text={path} />}</Fact>
      <Fact name="Port">{port === null ? <Absent text="unknown" /> : port}</Fact>
      <Fact name="Review versions">
        {conversionReviewVersions.length > 0 ? <Code text={conversionReviewVersions.join(", ")} /> : <Absent text="none" />}
      </Fact>
      <Fact name="CA bundle">
        {ca === null ? (
          <Absent text="not set" />
        ) : ca.certificates.length === 0 ? (
          <Absent text="no readable certificate" />
        ) : (
          certificates(ca.certificates.length + ca.moreCertificates)
        )}
      </Fact>
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </>
  );
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
