/** A definition's name with the plural emphasized over the group. */
export function CrdName({ plural, group }: { plural: string; group: string }) {
  return (
    <>
      <span className="font-medium text-ink">{plural}</span>
      <span className="text-ink-faint">.{group}</span>
    </>
  );
}

/** A definition is named <plural>.<group>. */
export function pluralOf(crd: string): string {
  return crd.split(".", 1)[0] ?? crd;
}

/** A resourceVersion as the API server writes it: it is a name, not a quantity. */
export function ResourceVersion({ value }: { value: string }) {
  return <span className="font-mono text-[0.92em]">{value}</span>;
}
