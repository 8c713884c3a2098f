import type { z } from "zod";
import { commandSpecs } from "./command-specs.ts";
import { type ClusterInvocation, seeHelp, usage } from "./parse-arguments.ts";

/**
 * A command's options in the shape of the HTTP API's body: `--max-per-second 5` becomes `maxPerSecond: 5`. Options that the API does
 * not have are left out.
 * @throws AppError invalid_input that names the option.
 */
export function checkedOptions<Shape extends z.ZodRawShape>(
  { command, options }: Pick<ClusterInvocation, "command" | "options">,
  schema: z.ZodObject<Shape>,
  program: string,
): z.output<z.ZodObject<Shape>> {
  const known = commandSpecs[command].options.flatMap(({ name }) => {
    const value = options[name];
    const key = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    return key in schema.shape && value !== undefined ? [[key, name, asGiven(value)] as const] : [];
  });
  const parsed = schema.safeParse(Object.fromEntries(known.map(([key, , value]) => [key, value])));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = known.find(([key]) => key === issue?.path[0])?.[1];
  throw usage(`--${name} ${String(name && options[name])} is invalid: ${issue?.message}.`, seeHelp(command, program));
}

// The API takes JSON numbers. No text option accepts a value that looks like one.
function asGiven(value: string | boolean): string | boolean | number {
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}
