/** A resourceVersion with separators for reading; the copyable text stays bare. */
export function ResourceVersion({ value }: { value: string }) {
  return <span title={value}>{/^\d+$/.test(value) ? BigInt(value).toLocaleString("en-US") : value}</span>;
}
