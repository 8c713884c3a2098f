import { quoted } from "#components/crd/kubectl/kubectl.ts";

/** A JSON patch of a definition with kubectl: a step a line, with spaces where a line that is too long may break. */
export function patchCommand(kubectl: string, crd: string, patch: readonly object[]): string {
  const steps = patch.map((step) => `  ${JSON.stringify(step, null, 1).replaceAll(/\n */g, " ")}`).join(",\n");
  return `${kubectl} patch customresourcedefinition ${quoted(crd)} --type=json -p ${quoted(`[\n${steps}\n]`)}`;
}
