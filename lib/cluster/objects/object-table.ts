import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { halvedWhileTooLarge, OBJECT_MAX_BYTES, PAGE_MAX_BYTES } from "#lib/cluster/transport/whole-answer.ts";
import type { ObjectPage } from "#lib/contract/objects/custom-object.ts";
import { type CustomResource, collectionPath } from "./object-path.ts";

const AS_TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
const MAX_CELL = 300;
/** More than a table shows; a definition may have tens of thousands, and a page a cell in each for every object. */
const MOST_COLUMNS = 50;

const tableSchema = z.object({
  metadata: z.object({ resourceVersion: z.string().default(""), continue: z.string().optional(), remainingItemCount: z.int().optional() }),
  columnDefinitions: z.array(
    z.object({ name: z.string(), type: z.string().default("string"), description: z.string().default(""), priority: z.int().default(0) }),
  ),
  rows: z
    .array(
      z.object({
        cells: z.array(z.unknown()),
        object: z.object({
          metadata: z.object({ name: z.string(), namespace: z.string().default(""), resourceVersion: z.string().default("") }),
        }),
      }),
    )
    .nullish(),
});

/**
 * A page of objects with the printer columns of a version, as `kubectl get` shows them, up to fifty. It has fewer than `limit` if they are large.
 * Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
export async function readObjectTable(
  connection: Connection,
  resource: CustomResource,
  options: { version: string; limit: number; next: string | null; signal: AbortSignal },
): Promise<ObjectPage> {
  const { version, limit, next, signal } = options;
  // Every row comes with its object's metadata.
  const { json } = await halvedWhileTooLarge(limit, (fitting) => {
    const query = new URLSearchParams({ limit: String(fitting), ...(next && { continue: next }) });
    const path = `${collectionPath(resource, version)}?${query}`;
    const maxBytes = fitting > 1 ? PAGE_MAX_BYTES : OBJECT_MAX_BYTES;
    return requestJson(connection, { path, accept: AS_TABLE, signal, timeoutMs: 60_000, maxBytes });
  });
  const { metadata, columnDefinitions, rows } = tableSchema.parse(json);
  // Columns with a priority above 0 are for `-o wide`; the name is shown separately.
  const shown = columnDefinitions
    .flatMap((column, index) => (column.priority === 0 && column.name !== "Name" ? [{ column, index }] : []))
    .slice(0, MOST_COLUMNS);
  return {
    version,
    columns: shown.map(({ column: { name, type, description } }) => ({ name, type, description })),
    rows: (rows ?? []).map(({ cells, object }) => ({
      ...object.metadata,
      cells: shown.map(({ index }) => cellText(cells[index])),
    })),
    resourceVersion: metadata.resourceVersion,
    continue: metadata.continue || null,
    remaining: metadata.remainingItemCount ?? (metadata.continue ? null : 0),
    asOf: new Date().toISOString(),
  };
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return (typeof cell === "string" ? cell : JSON.stringify(cell)).slice(0, MAX_CELL);
}
