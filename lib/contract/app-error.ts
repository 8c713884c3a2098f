import type { ErrorBody, ErrorCode } from "./error.ts";

/** The one error that crosses layers: its code decides the HTTP status, its texts are made for people. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** What to do now. */
  readonly nextStep: string | undefined;
  /** The cluster's own words. */
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

/** By name: the server process and the route handlers are separate bundles, each with a class of its own, and share errors. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof Error && error.name === "AppError";
}

/** Whether nothing but a person who signs in, or does so anew, is of use. */
export function asksToSignIn(error: unknown): boolean {
  return isAppError(error) && error.code === "unauthenticated" && error.details?.signIn === true;
}

/** The message of whatever was thrown, for people. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What was thrown, in a sentence or two for people: the error's own words, then the cluster's where it has some. */
export function errorWords(error: unknown): string {
  return isAppError(error) ? [error.message, error.clusterMessage].filter(Boolean).join(" ") : errorMessage(error);
}

/** An error as an answer holds it; what it has not is left out. */
export function appErrorBody({ code, message, nextStep, clusterMessage, details }: AppError): ErrorBody {
  return {
    error: { code, message, ...(clusterMessage && { cause: clusterMessage }), ...(nextStep && { nextStep }), ...(details && { details }) },
  };
}
