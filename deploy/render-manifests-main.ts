/** Rewrites deploy/manifests from the chart. 00-namespace.yaml is not from the chart, and stays. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { openHelm } from "./helm.ts";
import { manifests, renderManifests } from "./render-manifests.ts";

const helm = await openHelm((line) => console.error(line));
for (const [file, content] of await renderManifests(helm)) await writeFile(path.join(manifests.folder, file), content);
