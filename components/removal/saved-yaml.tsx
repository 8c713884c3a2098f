import { quoted } from "#components/crd/kubectl.ts";
import { KubectlBlock } from "#components/crd/kubectl-block.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { versionPath } from "#lib/queries/api-paths.ts";

/** The version's entry of spec.versions to keep, which is what the way back needs. */
export function SavedYaml({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const filter = `jsonpath={.spec.versions[?(@.name=="${version}")]}`;
  const command = (kubectl: string) => `${kubectl} get customresourcedefinition ${quoted(crd.name)} -o ${quoted(filter)}`;
  return (
    <section aria-label="The way back" className="flex max-w-3xl flex-col items-start gap-2">
      <h3 className="text-sm font-medium">The way back</h3>
      <p className="text-ink-soft">
        What is removed is kept in an annotation of the definition, up to 64 KiB compressed. A file is safer:{" "}
        <a
          href={`${versionPath(cluster, crd.name, version)}/manifest`}
          download={`${crd.name}-${version}.yaml`}
          className="text-ink underline underline-offset-2"
        >
          Save {version} as YAML
        </a>
        , or with kubectl:
      </p>
      <div className="w-full">
        <KubectlBlock cluster={cluster} command={command} copyLabel="Copy the command that saves it" />
      </div>
    </section>
  );
}
