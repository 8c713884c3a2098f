"use client";

import { useQuery } from "@tanstack/react-query";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { conversionAdvice } from "#lib/domain/conversion/conversion-failure.ts";
import { conversionQuery } from "#lib/queries/definition/crd-queries.ts";

/** What to fix so that objects can be converted again: what the definition itself shows, or else what the API server's message means. */
export function ConversionFix({ cluster, crd, failure }: { cluster: string; crd: CrdDetail; failure: string }) {
  const { data } = useQuery(conversionQuery(cluster, crd.name, crd.generation));
  const failing = data?.findings.filter(({ severity }) => severity === "fail") ?? [];
  if (failing.length === 0) return <p dir="auto">{conversionAdvice(failure)}</p>;
  return failing.map(({ message, nextStep }) => (
    <p key={message} dir="auto">
      {message} {nextStep}
    </p>
  ));
}
