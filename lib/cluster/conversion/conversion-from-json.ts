import { z } from "zod";
import { keptAnnotation, keptGzip, keptText, keptTime, keptUser, unkept } from "#lib/cluster/definitions/versions/kept-annotation.ts";
import { boundedText } from "#lib/cluster/transport/bounded-text.ts";
import type { CrdConversion, DroppedConversion } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";

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

/** In characters, for people. An annotation of 500 bytes may unpack to 256 KiB. */
const TARGET_MAX_LENGTH = 2_048;

/** A definition's conversion strategy, with the target of its webhook. */
export function conversionFromJson({ strategy, webhook }: z.infer<typeof conversionSchema>): CrdConversion {
  if (strategy !== "Webhook") return { strategy: "None" };
  const { url, service } = webhook?.clientConfig ?? {};
  const target = url ?? (service ? `${service.namespace}/${service.name}:${service.port ?? 443}${service.path ?? ""}` : "no target");
  return { strategy: "Webhook", target: boundedText(target, TARGET_MAX_LENGTH) };
}

/** Enough for a webhook's address and its CA certificates. */
const CONVERSION_MAX_BYTES = 256 * 1024;

const entrySchema = z.object({ droppedAt: keptTime, by: keptUser, gzip: z.base64() });
const read = keptAnnotation(entrySchema, droppedConversion, CONVERSION_MAX_BYTES);

/** The annotation that keeps a conversion for undo; null if it doesn't fit when compressed. */
export function droppedConversionText(dropped: Omit<DroppedConversion, "target">, conversion: ExactJson): string | null {
  const gzip = keptGzip(conversion, CONVERSION_MAX_BYTES);
  return gzip === null ? null : keptText([{ about: dropped, gzip }]);
}

/** A description of the conversion that an annotation keeps, taken from the conversion itself; null if it keeps none. */
export function droppedConversionOf(annotation: string | undefined): DroppedConversion | null {
  return read(annotation)[0]?.about ?? null;
}

/** The exact conversion that an annotation keeps; null if it keeps none. */
export function droppedConversionSpecOf(annotation: string | undefined): ExactJson | null {
  const [kept] = read(annotation);
  return kept ? unkept(kept.gzip, CONVERSION_MAX_BYTES) : null;
}

function droppedConversion({ droppedAt, by }: z.infer<typeof entrySchema>, part: unknown): DroppedConversion | null {
  const conversion = conversionFromJson(conversionSchema.parse(part));
  return conversion.strategy === "Webhook" ? { target: conversion.target, droppedAt, by } : null;
}
