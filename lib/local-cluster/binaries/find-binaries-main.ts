/** Finds or builds the programs of the local cluster, and Helm, so that no test that needs them has to wait later. */
import { findBinaries } from "./find-binaries.ts";
import { findHelm } from "./find-helm.ts";

try {
  const log = (line: string) => console.log(line);
  await findBinaries({ log });
  await findHelm({ log });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
