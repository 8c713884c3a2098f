/** As a program, rewrites deploy/manifests from the chart. 00-namespace.yaml is not from the chart, and stays. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { type Helm, openHelm } from "./helm.ts";

/** Where the plain manifests are, and in which namespace they put what they make. */
export const manifests = { folder: path.join(import.meta.dirname, "manifests"), namespace: "crdshift" };

const values = path.join(import.meta.dirname, "manifests-values.yaml");
const HEADER = "# Rendered from deploy/chart with deploy/manifests-values.yaml: npm run manifests.\n";

/** The plain manifests by file name: what the chart makes of deploy/manifests-values.yaml, a file for each template. */
export async function renderManifests(helm: Helm): Promise<Map<string, string>> {
  const rendered = helm.template(parse(await readFile(values, "utf8")), manifests.namespace);
  const documents = rendered.split(/^---\n/m).filter((document) => document.trim() !== "");
  const files = new Map<string, string>();
  for (const document of documents) {
    const [, file = "", content = ""] = /^# Source: crdshift\/templates\/(\S+)\n(.*)$/s.exec(document) ?? [];
    if (file === "") throw new Error(`Helm did not say what this comes from:\n${document}`);
    files.set(file, `${files.has(file) ? `${files.get(file)}---\n` : HEADER}${content.trim()}\n`);
  }
  return files;
}

if (import.meta.main) {
  const helm = await openHelm((line) => console.error(line));
  for (const [file, content] of await renderManifests(helm)) await writeFile(path.join(manifests.folder, file), content);
}
