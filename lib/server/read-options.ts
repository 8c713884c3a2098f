import { parseArgs } from "node:util";
import { errorMessage } from "#lib/contract/app-error.ts";

const flag = { type: "boolean", default: false } as const;

/** What the server takes on its command line; `--dev` is for `npm run dev`. */
export const serverOptions = { demo: flag, reset: flag, dev: flag, "no-open": flag, "read-only": flag };

/** Throws Error that lists the options where there is another one. */
export function readOptions() {
  try {
    return parseArgs({ options: serverOptions }).values;
  } catch (error) {
    throw new Error(
      `${errorMessage(error)}.\nThe options are --demo (a local cluster with content), --reset (the same, made anew), --no-open (no browser is opened) and --read-only (nothing can be changed): npm start -- --demo`,
    );
  }
}
