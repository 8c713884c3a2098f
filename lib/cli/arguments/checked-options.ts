import type { z } from "zod";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { crdshiftOnlyOptions } from "#lib/rewrite/delegation/check-delegation.ts";
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

/** Throws AppError invalid_input, naming the command line options, if the cluster's own engine gets options that it does not support. */
export function checkEngineOptions(options: StartRewrite, program: string): void {
  if (!delegates(options.engine)) return;
  const others = crdshiftOnlyOptions.filter((name) => options[name]).map(optionName);
  if (others.length === 0) return;
  throw usage(
    `${others.join(", ")} can't be used with --engine ${options.engine}: the cluster's own engine does not support ${others.length === 1 ? "it" : "them"}.`,
    `Leave ${others.length === 1 ? "it" : "them"} out, or rewrite with crdshift's own engine. ${seeHelp("rewrite", program)}`,
  );
}

/** The option for a field of the HTTP API's body: `maxPerSecond` is `--max-per-second`. */
function optionName(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
