import { quoted } from "#components/crd/kubectl/kubectl.ts";

/** The kubectl command for a JSON patch of a definition: one step per line, with spaces where a long line may break. */
export function patchCommand(kubectl: string, crd: string, patch: readonly object[]): string {
  const steps = patch.map((step) => `  ${JSON.stringify(step, null, 1).replaceAll(/\n */g, " ")}`).join(",\n");
  return `${kubectl} patch customresourcedefinition ${quoted(crd)} --type=json -p ${quoted(`[\n${steps}\n]`)}`;
}
