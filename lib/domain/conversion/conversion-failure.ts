/**
 * The API server's message within `text` that objects can't be converted; null if the text doesn't say so, or if these are the words of
 * an admission webhook's or policy's denial.
 * Source: apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go; while a watch cache can't fill itself, a list's 429
 * wraps it (apiserver/pkg/storage/cacher).
 */
export function conversionFailureIn(text: string | null): string | null {
  const at = text?.search(/conversion (webhook )?for /) ?? -1;
  if (text === null || at < 0) return null;
  const before = text.slice(0, at);
  if (/ denied (the )?request: /.test(before)) return null;
  const wrappedAt = before.indexOf("storage is (re)initializing");
  return text.slice(wrappedAt >= 0 ? wrappedAt : at);
}

/**
 * The version in which an object is stored although the spec doesn't have it, in the API server's answer to a list; null if `text` doesn't
 * say so, or if these are the words of a conversion webhook. One such object keeps all from being listed.
 * Source: apiextensions-apiserver/pkg/apiserver/conversion/converter.go.
 */
export function lostVersionIn(text: string | null): string | null {
  if (text === null || conversionFailureIn(text) !== null) return null;
  return /request to convert CR from an invalid group\/version: [^\s/]{1,253}\/([a-z0-9]{1,63})(?![a-z0-9])/.exec(text)?.[1] ?? null;
}

const causes: { says: RegExp; fix: (found: string) => string }[] = [
  {
    says: /service "([^"]+)" not found/,
    fix: (service) => `Create the Service ${service}, or set spec.conversion.webhook.clientConfig.service to the one that the webhook has.`,
  },
  {
    says: /no endpoints available for service "([^"]+)"/,
    fix: (service) => `Start the webhook's pods: the Service ${service} has no endpoints.`,
  },
  {
    says: /certificate has expired or is not yet valid/,
    fix: () => "Issue the webhook a certificate that is valid now, from a CA in caBundle.",
  },
  {
    says: /x509|tls: /,
    fix: () =>
      "Set spec.conversion.webhook.clientConfig.caBundle to the CA of the webhook's certificate. If cert-manager or an operator should inject it, find out why it hasn't.",
  },
  {
    says: /connection refused|no such host|no route to host|network is unreachable|connection reset|EOF/,
    fix: () => "Start the webhook's server, and make sure that the API server can reach it.",
  },
  {
    says: /deadline exceeded|Client\.Timeout|i\/o timeout|timed out/,
    fix: () => "The webhook doesn't answer in time. Check its load and its log, and that the API server can reach it.",
  },
];

/** What to fix so that objects can be converted again, from the API server's message; null if `text` has none. */
export function conversionAdvice(text: string | null): string | null {
  const failure = conversionFailureIn(text);
  if (failure === null) return null;
  for (const { says, fix } of causes) {
    const found = says.exec(failure);
    if (found) return fix(found[1] ?? "");
  }
  return "Check the webhook's log, then fix the webhook or the object that it can't convert.";
}
