import type { ConversionTarget } from "#lib/contract/conversion.ts";

const HTTPS_PORT = 443;

/** The path and port at which a webhook is called, wherever they are written; null for what is not. */
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
