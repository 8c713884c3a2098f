import { z } from "zod";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import type { CrdConversion } from "#lib/domain/definition/crd.ts";

const text = z.string().catch("");

/** spec.conversion; any field may be missing. */
export const conversionSchema = z
  .object({
    strategy: text,
    webhook: z
      .object({
        clientConfig: z
          .object({
            url: z.string().optional(),
            service: z.object({ namespace: text, name: text, path: z.string().optional(), port: z.int().optional() }).optional(),
          })
          .catch({}),
      })
      .optional()
      .catch(undefined),
  })
  .catch({ strategy: "None" });

/** A definition's conversion strategy, with the target of its webhook. */
export function conversionFromJson({ strategy, webhook }: z.infer<typeof conversionSchema>): CrdConversion {
  if (strategy !== "Webhook") return { strategy: "None" };
  const { url, service } = webhook?.clientConfig ?? {};
  const target = url ?? (service ? `${service.namespace}/${service.name}:${service.port ?? 443}${service.path ?? ""}` : "no target");
  return { strategy: "Webhook", target: plainText(target) };
}
