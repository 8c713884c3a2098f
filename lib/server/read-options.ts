import { parseArgs } from "node:util";
import { errorMessage } from "#lib/contract/app-error.ts";

const flag = { type: "boolean", default: false } as const;

/** The server's command-line options; `--dev` is for `npm run dev`. */
export const serverOptions = { demo: flag, reset: flag, dev: flag, "no-open": flag, "read-only": flag };

/** Throws Error that lists the options if there is an unknown one. */
export function readOptions() {
  try {
    return parseArgs({ options: serverOptions }).values;
  } catch (error) {
    throw new Error(
      `${errorMessage(error)}.\nThe options are --demo (start a local cluster with sample content), --reset (the same, rebuilt from scratch), --no-open (don't open a browser) and --read-only (allow no changes): npm start -- --demo`,
    );
  }
}
