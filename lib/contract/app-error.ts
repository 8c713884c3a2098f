import type { ErrorBody, ErrorCode } from "./error.ts";

/** The only error that crosses layers. Its code decides the HTTP status; its texts are for people. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** What to do next. */
  readonly nextStep: string | undefined;
  /** The cluster's message, verbatim. */
  readonly clusterMessage: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { nextStep?: string | undefined; clusterMessage?: string | undefined; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "AppError";
    this.code = code;
    this.nextStep = more.nextStep;
    this.clusterMessage = more.clusterMessage;
    this.details = more.details;
  }
}

/** Compares by name: the server process and the route handlers are separate bundles with separate classes, and share errors. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof Error && error.name === "AppError";
}

/** Whether only signing in (again) can resolve the error. */
export function asksToSignIn(error: unknown): boolean {
  return isAppError(error) && error.code === "unauthenticated" && error.details?.signIn === true;
}

/** Whether an error says that the change that failed may have been made all the same. */
export function isUnconfirmed(error: unknown): boolean {
  return isAppError(error) && error.details?.unconfirmed === true;
}

/** Why nothing begins any more in a process that is ending. */
export const SHUTTING_DOWN = { message: "crdshift is shutting down.", nextStep: "Start crdshift again, then retry." };

/** The error for what this process no longer does, because it is shutting down. */
export function shuttingDown(): AppError {
  return new AppError("conflict", SHUTTING_DOWN.message, { nextStep: SHUTTING_DOWN.nextStep });
}

/** The message of anything thrown, for people. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Anything thrown, in one or two sentences for people: the error's message, then the cluster's, if any, with a period where it has none. */
export function errorWords(error: unknown): string {
  if (!isAppError(error)) return errorMessage(error);
  if (!error.clusterMessage) return error.message;
  return `${error.message} ${error.clusterMessage}${/[.!?…]$/.test(error.clusterMessage) ? "" : "."}`;
}

/** An error as a response body, without empty parts. */
export function appErrorBody({ code, message, nextStep, clusterMessage, details }: AppError): ErrorBody {
  return {
    error: { code, message, ...(clusterMessage && { cause: clusterMessage }), ...(nextStep && { nextStep }), ...(details && { details }) },
  };
}
