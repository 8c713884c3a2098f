import { existsSync } from "node:fs";
import path from "node:path";
import { type Connection, connect } from "#lib/cluster/connection/connection.ts";
import { readKubeContexts } from "#lib/cluster/connection/kubeconfig.ts";
import { AppError, errorMessage, isAppError } from "#lib/contract/app-error.ts";
import { chooseKubeconfig, readEnv } from "#lib/settings/env.ts";

/** Which kubeconfig and which of its contexts; null for what kubectl would take. */
export interface ClusterChoice {
  kubeconfig: string | null;
  context: string | null;
}

/** The connection that was asked for. Throws AppError for a file or a context that is not there, or can't be used. */
export async function openConnection(choice: ClusterChoice): Promise<Connection> {
  checkEnvironment();
  const { contexts, current, isNamed } = contextsOf(choice);
  const name = choice.context ?? current;
  if (!contexts.has(name)) {
    throw new AppError("not_found", `The kubeconfig has no context ${name}.`, { nextStep: `It has ${[...contexts.keys()].join(", ")}.` });
  }
  // Where kubectl would not guess, neither does what writes to a cluster.
  if (choice.context === null && !isNamed) {
    throw new AppError("invalid_input", "The kubeconfig has several contexts, and no current-context that it knows.", {
      nextStep: `Choose one with --context: ${[...contexts.keys()].join(", ")}.`,
    });
  }
  return connect(name);
}

/** The contexts to choose from. Throws AppError where there is no kubeconfig that can be read. */
export function contextsOf({ kubeconfig }: Pick<ClusterChoice, "kubeconfig">) {
  if (kubeconfig !== null) {
    if (!existsSync(kubeconfig)) {
      throw new AppError("invalid_input", `--kubeconfig names ${kubeconfig}, which does not exist.`, { nextStep: "Name another file." });
    }
    chooseKubeconfig(path.resolve(kubeconfig));
  }
  try {
    return readKubeContexts();
  } catch (error) {
    // What to do is another thing for the server, which has a demo.
    if (!isAppError(error)) throw error;
    const nextStep = "Check it with `kubectl config view`, or name another with --kubeconfig or $KUBECONFIG.";
    throw new AppError(error.code, error.message, { nextStep, cause: error });
  }
}

function checkEnvironment(): void {
  try {
    readEnv();
  } catch (error) {
    throw new AppError("invalid_input", errorMessage(error), { cause: error });
  }
}
