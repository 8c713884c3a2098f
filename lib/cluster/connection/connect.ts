import type { KubeConfig } from "@kubernetes/client-node";
import { AppError } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import type { Connection } from "./connection.ts";
import { connectionKey } from "./connection-key.ts";
import { type ConnectionPool, connectionPool } from "./connection-pool.ts";
import { audienceOf, type Credentials, credentialsId, ownCredentials } from "./credentials.ts";
import { type KubeContexts, readBearerContext, readKubeContexts } from "./kubeconfig.ts";
import { openConnection } from "./open-connection.ts";

/** The contexts that these credentials can connect to. Throws AppError invalid_input like readKubeContexts. */
export function contextsFor(credentials: Credentials): KubeContexts {
  return credentials.kind === "own" ? readKubeContexts() : readBearerContext(credentials.token);
}

/**
 * The connection to a context, by default with this process's own credentials.
 * @throws AppError not_found if no kubeconfig has the context, invalid_input if it can't be used.
 */
export async function connect(name: string, credentials: Credentials = ownCredentials): Promise<Connection> {
  const { contexts, unusable } = contextsFor(credentials);
  const config = contexts.get(name);
  if (!config) {
    throw new AppError("not_found", `There is no cluster ${name}.`, {
      nextStep: "GET /api/clusters lists the contexts of the kubeconfig.",
    });
  }
  const reason = unusable.get(name);
  if (reason) throw new AppError("invalid_input", `The context ${name} can't be used. ${reason}`);
  const pool = connections();
  const key = connectionKey(name, config);
  const audience = audienceOf(name, credentialsId(credentials));
  const known = pool.get(key);
  if (known) return known;
  const onDiscard = () => pool.remove(key);
  const onKeep = (person: string | null, connection: Connection) => {
    if (credentials.kind === "bearer") pool.keep(key, person, connection);
  };
  const whose = credentials.kind === "own" ? "process" : "unconfirmed";
  return pool.add(key, whose, (onUse) => openConnection({ key, name, audience, credentials, config, onUse, onDiscard, onKeep }));
}

function connections(): ConnectionPool<Connection> {
  return processWide("connections", () => connectionPool<Connection>());
}

/** Whether this process has a connection to the context with these credentials. */
export function isOpen(name: string, config: KubeConfig): boolean {
  return connections().has(connectionKey(name, config));
}
