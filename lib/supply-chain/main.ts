import { writeFile } from "node:fs/promises";
import { audit } from "./audit.ts";
import { makeSbom } from "./sbom.ts";
import { LICENSE_FILE, listLicenses } from "./third-party-licenses.ts";

const USAGE = `Usage:
  npm run audit                  Check the packages for advisories. Exits with 1 for serious ones, 2 for no answer.
  npm run --silent sbom [file]   Print the packages as CycloneDX, or write them to a file.
  npm run licenses               Write ${LICENSE_FILE}.`;

const [command, file] = process.argv.slice(2);
if (command === "audit") {
  const { exitCode, text } = await audit();
  process.stdout.write(`${text}\n`);
  process.exitCode = exitCode;
} else if (command === "sbom") {
  const text = `${JSON.stringify(await makeSbom(), null, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else await writeFile(file, text);
} else if (command === "licenses") {
  await writeFile(LICENSE_FILE, await listLicenses());
} else {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 1;
}
