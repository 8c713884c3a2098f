import { type AppError, isAppError } from "#lib/contract/app-error.ts";

/** The API server's answer, kept with the error for decisions in lib/cluster and lib/rewrite. */
export interface ClusterAnswer {
  status: number;
  /** Status.reason; empty if the body isn't a Status, `Unknown` if it was cut before its reason. */
  reason: string;
  message: string;
  /** The problem with each field, such as `spec.versions[0].deprecationWarning`. */
  fields: { field: string; message: string }[];
  /** The object named in the Status. */
  name: string | null;
  retryAfterMs: number | null;
  /** For an expired list: the token that continues with an inconsistent list. */
  inconsistentContinue: string | null;
  /**
   * Whether it denies what was granted before, just after the API server couldn't be reached, so that it may be temporary: early-denial.ts.
   */
  isEarlyDenial?: boolean;
}

/** An error with the API server's answer. */
export type AnsweredError = AppError & { answer: ClusterAnswer };

/** The API server's answer that caused an error, or null if there was none (network, timeout, refused by crdshift). */
export function clusterAnswer(error: unknown): ClusterAnswer | null {
  return isAppError(error) && "answer" in error ? (error as AnsweredError).answer : null;
}

/** An error in crdshift's own words that keeps the API server's answer to decide by. */
export function withAnswer(error: AppError, answer: ClusterAnswer): AppError {
  return Object.assign(error, { answer });
}

/** The error as if the API server had answered so about this object alone: with `status`, `reason`, and the error's message. */
export function asAnswerAbout({ name }: { name: string }, answer: Pick<ClusterAnswer, "status" | "reason">, error: AppError): AppError {
  return withAnswer(error, { ...answer, message: error.message, name, fields: [], retryAfterMs: null, inconsistentContinue: null });
}
