import { kubectlFor, quoted } from "#components/crd/kubectl.ts";

/** A JSON patch of a definition with kubectl. */
export function patchCommand(context: string, crd: string, patch: readonly object[]): string {
  const steps = patch.map((step) => `  ${JSON.stringify(step)}`).join(",\n");
  return `${kubectlFor(context)} patch customresourcedefinition ${quoted(crd)} --type=json -p ${quoted(`[\n${steps}\n]`)}`;
}
