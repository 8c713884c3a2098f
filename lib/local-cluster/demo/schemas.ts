import type { JsonSchema } from "./demo-crd.ts";

export const string: JsonSchema = { type: "string" };
export const boolean: JsonSchema = { type: "boolean" };
export const integer: JsonSchema = { type: "integer" };
export const strings: JsonSchema = { type: "array", items: string };

export function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties };
}

export function oneOf(...values: string[]): JsonSchema {
  return { type: "string", enum: values };
}
