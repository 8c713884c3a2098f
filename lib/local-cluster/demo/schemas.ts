/** https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules */
export interface CelRule {
  rule: string;
  message: string;
}

export interface JsonSchema {
  type: "string" | "integer" | "boolean" | "array" | "object";
  description?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
  default?: string | number | boolean;
  "x-kubernetes-validations"?: CelRule[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
}

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
