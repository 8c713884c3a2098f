const unsent = new WeakSet<object>();

/** Notes that the request that failed so never left this process. */
export function asUnsent<Failure>(error: Failure): Failure {
  if (error instanceof Error) unsent.add(error);
  return error;
}

/** Whether the request that failed so never left this process; false if that isn't known. */
export function isUnsent(error: unknown): boolean {
  return error instanceof Error && unsent.has(error);
}
