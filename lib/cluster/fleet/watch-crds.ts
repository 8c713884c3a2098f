import { z } from "zod";
import { inShortTurn } from "#lib/async/short-turn.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { crdFromJson } from "#lib/cluster/definitions/crd-from-json.ts";
import { watchPath } from "#lib/cluster/definitions/crds.ts";
import { isLong, parsedInTurn } from "#lib/cluster/transport/long-answers.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { parseOnce } from "./parse-once.ts";

export type CrdChange =
  | { type: "upserted"; crd: Crd; resourceVersion: string }
  | { type: "deleted"; name: string; resourceVersion: string }
  | { type: "bookmark"; resourceVersion: string };

const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]), object: z.unknown() }),
  z.object({ type: z.literal("ERROR"), object: z.object({ message: z.string().catch("") }) }),
]);
const objectSchema = z.object({ metadata: z.object({ name: z.string().catch(""), resourceVersion: z.string() }) });

/** The API server sends a bookmark about every minute; a longer silence means the connection is dead. */
const SILENCE_MS = 100_000;
/** It opens a watch at once; only after that may it be silent. */
const OPEN_MS = 10_000;

/**
 * Changes to all definitions after a resourceVersion, until the server ends the watch (about five minutes).
 * @throws AppError with code `conflict` if the watch can't continue, because the resourceVersion is too old (410) or because of
 * another error from the server: list again, as client-go does.
 */
export async function* watchCrds(
  connection: Connection,
  options: { resourceVersion: string; signal: AbortSignal; onOpen: () => void },
): AsyncGenerator<CrdChange> {
  const timeoutSeconds = 240 + Math.floor(Math.random() * 120);
  const lines = requestLines(connection, {
    path: watchPath(options.resourceVersion, timeoutSeconds),
    signal: options.signal,
    timeoutMs: SILENCE_MS,
    headersTimeoutMs: OPEN_MS,
    onOpen: options.onOpen,
  });
  for await (const line of lines) {
    const change = await readInTurn(connection, line, options.signal);
    // It may have waited for its turn meanwhile.
    options.signal.throwIfAborted();
    yield change;
  }
}

/** A change reaches everyone who watches at once, and a chunk may hold many: in one turn, they would hold others up. */
async function readInTurn(connection: Connection, line: string, signal: AbortSignal): Promise<CrdChange> {
  const whose = { kind: "changes", person: connection.person() } as const;
  if (!isLong(line)) return inShortTurn(whose, () => changeOf(connection, JSON.parse(line)));
  const json = await parsedInTurn(line, connection, signal, { line: "definitions", parseLong: parseOnce });
  return inShortTurn(whose, () => changeOf(connection, json));
}

function changeOf(connection: Connection, json: unknown): CrdChange {
  const event = eventSchema.parse(json);
  if (event.type === "ERROR") {
    // Besides 410, a 500 occurs for every watch that starts exactly at etcd's compaction revision.
    throw new AppError("conflict", "The API server no longer knows what changed. crdshift is listing the definitions again.", {
      clusterMessage: event.object.message,
    });
  }
  const { name, resourceVersion } = objectSchema.parse(event.object).metadata;
  switch (event.type) {
    case "BOOKMARK":
      return { type: "bookmark", resourceVersion };
    case "DELETED":
      return { type: "deleted", name, resourceVersion };
    case "ADDED":
    case "MODIFIED":
      return { type: "upserted", crd: crdFromJson(connection, event.object), resourceVersion };
    default:
      return event satisfies never;
  }
}
