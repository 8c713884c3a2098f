import type { Connection } from "#lib/cluster/connection/connection.ts";

/** What this process remembers a definition by. Clusters that were cloned from one backup have definitions with the same uid. */
export function definitionKey({ server }: Pick<Connection, "server">, uid: string): string {
  return `${uid} ${server}`;
}
