/** A definition is named <plural>.<group>. */
export function pluralOf(crd: string): string {
  return crd.split(".", 1)[0] ?? crd;
}
