/** An object's name, with its namespace where it has one. */
export function objectName({ namespace, name }: { namespace: string; name: string }): string {
  return namespace ? `${namespace}/${name}` : name;
}
