import { printable } from "./printable.ts";

/** Text of the cluster's as a part of one line, so that it can't pass for a line of crdshift's: its line breaks become spaces. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s*[\n\r\u0085\u2028\u2029]\s*/g, " "));
}
