import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { stringify } from "yaml";

/** Writes a kubeconfig with one context that verifies the server's certificate, mode 0600, and returns its path. */
export async function writeKubeconfig(options: {
  directory: string;
  context: string;
  server: string;
  token: string;
  caFile: string;
}): Promise<string> {
  const { directory, context, server, token, caFile } = options;
  const certificateAuthority = (await readFile(caFile)).toString("base64");
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: context, cluster: { server, "certificate-authority-data": certificateAuthority } }],
    users: [{ name: "crdshift-admin", user: { token } }],
    contexts: [{ name: context, context: { cluster: context, user: "crdshift-admin" } }],
    "current-context": context,
  };
  const file = path.join(directory, "kubeconfig");
  // Renamed into place: who watches an earlier one never reads half a file, and the mode is ours whatever was there.
  await writeFile(`${file}.new`, stringify(kubeconfig), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return file;
}
