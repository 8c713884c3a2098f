/** Finds or builds the programs of the local cluster, so that nothing that needs them has to wait later. */
import { findBinaries } from "./find-binaries.ts";

try {
  await findBinaries({ log: (line) => console.log(line) });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
