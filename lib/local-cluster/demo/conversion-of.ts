import type { ConversionWebhook } from "./conversion-webhook.ts";
import type { Conversion, DemoCrd } from "./demo-crd.ts";
import { selfSignedCertificate } from "./self-signed-certificate.ts";

const expiresAfterMs = 20 * 86_400_000;

/** What a CRD of the demo has for spec.conversion. */
export async function conversionOf({ conversion }: DemoCrd, webhook: ConversionWebhook): Promise<Conversion> {
  if (!conversion) return { strategy: "None" };
  switch (conversion.by) {
    case "demo-webhook": {
      const { clientConfig, ...rest } = webhook.conversion.webhook;
      const caBundle = await bundleOf(conversion.ca, clientConfig.caBundle);
      return { strategy: "Webhook", webhook: { ...rest, clientConfig: { ...clientConfig, caBundle } } };
    }
    case "absent-service":
      return {
        strategy: "Webhook",
        webhook: { clientConfig: { service: conversion.service }, conversionReviewVersions: ["v1"] },
      };
    default:
      return conversion satisfies never;
  }
}

/** PEM in base64, as `current` is. */
async function bundleOf(ca: "rotating" | "expiring" | undefined, current: string): Promise<string> {
  if (!ca) return current;
  const { cert } = await selfSignedCertificate(
    "crdshift demo conversion webhook before its rotation",
    new Date(Date.now() + expiresAfterMs),
  );
  const kept = ca === "rotating" ? Buffer.from(current, "base64").toString("utf8") : "";
  return Buffer.from(`${cert.trimEnd()}\n${kept}`).toString("base64");
}
