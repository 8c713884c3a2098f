import { readFile } from "node:fs/promises";
import { idOf, readLock } from "./lock.ts";
import { runNpm } from "./run-npm.ts";
import { spdxOf } from "./third-party-licenses.ts";

interface Component {
  "bom-ref": string;
  name: string;
  version: string;
  hashes?: { alg: string; content: string }[];
  licenses?: { license: { id: string } }[];
  properties?: Property[];
}

interface Property {
  name: string;
}

/** The part of CycloneDX 1.5 used here. */
export interface Sbom {
  serialNumber?: string;
  metadata: { timestamp?: string; tools?: { version?: string }[]; component: { name: string; properties?: Property[] } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * The production packages of package-lock.json, including those of other platforms, as CycloneDX. The same lock file gives the same
 * text. npm's `--omit dev` is not used, as it leaves out packages that tests need as well, such as zod.
 * @throws Error if npm gives no list.
 */
export async function makeSbom(): Promise<Sbom> {
  const { name } = JSON.parse(await readFile("package.json", "utf8"));
  const lock = (await readLock()).filter(({ isProduction }) => isProduction);
  const licenses = new Map(lock.map((locked) => [idOf(locked), locked.license]));
  const sbom = await listAll();
  const self = `${name}@`;
  const isKept = (ref: string) => ref.startsWith(self) || licenses.has(ref);

  delete sbom.serialNumber;
  delete sbom.metadata.timestamp;
  for (const tool of sbom.metadata.tools ?? []) delete tool.version;
  // npm adds the folder's name, and some npm versions the location of every package.
  sbom.metadata.component.name = name;
  dropPlace(sbom.metadata.component);
  for (const component of sbom.components) dropPlace(component);
  const components = sbom.components
    .filter((component) => licenses.has(idOf(component)))
    // One that also comes inside another package counts as the one with a hash.
    .sort((a, b) => Number("hashes" in a) - Number("hashes" in b))
    .map((component) => ({
      ...component,
      licenses: component.licenses ?? [{ license: { id: spdxOf(licenses.get(idOf(component)) ?? "") } }],
    }));
  sbom.components = byRef(components, (component) => component["bom-ref"]);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => isKept(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept).sort() }));
  sbom.dependencies = byRef(dependencies, ({ ref }) => ref);
  return sbom;
}

// A package installed in several places counts once.
function byRef<T>(list: T[], refOf: (one: T) => string): T[] {
  const unique = new Map(list.map((one) => [refOf(one), one]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function dropPlace(component: { properties?: Property[] }): void {
  component.properties = (component.properties ?? []).filter((property) => property.name !== "cdx:npm:package:path");
}

async function listAll(): Promise<Sbom> {
  const { stdout, stderr } = await runNpm(["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"]);
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`npm did not list the packages: ${stderr}`);
  }
}
