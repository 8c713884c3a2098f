import { existsSync } from "node:fs";
import path from "node:path";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readKubeContexts } from "#lib/cluster/connection/kubeconfig.ts";
import { AppError, errorMessage, isAppError } from "#lib/contract/app-error.ts";
import { chooseKubeconfig, readEnv } from "#lib/settings/env.ts";
import type { Output } from "./terminal/output.ts";
import type { StopSignals } from "./terminal/stop-signals.ts";

/** The context a command runs in. */
export interface CommandContext {
  connection: Connection;
  output: Output;
  stop: StopSignals;
  /** The program in suggested commands, with the kubeconfig and context that were chosen. */
  program: string;
}

/** A kubeconfig and one of its contexts; null for kubectl's default. */
export interface ClusterChoice {
  kubeconfig: string | null;
  context: string | null;
}

/** Connects to the chosen cluster. Throws AppError if the file or the context is missing or unusable. */
export async function openConnection(choice: ClusterChoice): Promise<Connection> {
  checkEnvironment();
  const { contexts, current, isNamed } = contextsOf(choice);
  const name = choice.context ?? current;
  if (!contexts.has(name)) {
    throw new AppError("not_found", `The kubeconfig has no context ${name}.`, {
      nextStep: `Choose one of ${[...contexts.keys()].join(", ")}.`,
    });
  }
  // Like kubectl, don't guess: crdshift writes to the cluster.
  if (choice.context === null && !isNamed) {
    throw new AppError("invalid_input", "The kubeconfig has no valid current-context.", {
      nextStep: `Choose one with --context: ${[...contexts.keys()].join(", ")}.`,
    });
  }
  return connect(name);
}

/** The contexts to choose from. Throws AppError if no kubeconfig can be read. */
export function contextsOf({ kubeconfig }: Pick<ClusterChoice, "kubeconfig">) {
  if (kubeconfig !== null) {
    if (!existsSync(kubeconfig)) {
      throw new AppError("invalid_input", `The kubeconfig file ${kubeconfig} does not exist.`, { nextStep: "Check --kubeconfig." });
    }
    chooseKubeconfig(path.resolve(kubeconfig));
  }
  try {
    return readKubeContexts();
  } catch (error) {
    // The original next step suggests the server's demo.
    if (!isAppError(error)) throw error;
    const nextStep = "Check it with `kubectl config view`, or choose another file with --kubeconfig or $KUBECONFIG.";
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
