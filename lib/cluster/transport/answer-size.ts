import { AppError, isAppError } from "#lib/contract/app-error.ts";

const MIB = 1024 * 1024;
/** No object in etcd is this large by default (1.5 MiB), but lists of large ones are. */
export const ANSWER_MAX_BYTES = 32 * MIB;

/** The error for an answer that crdshift stops reading, because it is longer than the request allows. */
export function answerTooLarge(request: { method?: string; path: string }, maxBytes: number): AppError {
  const what = `${request.method ?? "GET"} ${request.path.split("?")[0]}`;
  return new AppError("cluster_rejected", `The answer to ${what} is larger than ${maxBytes / MIB} MiB, so crdshift doesn't read it.`, {
    nextStep: "Make what it lists smaller, such as annotations and managedFields, then retry.",
    details: { maxBytes },
  });
}

export function isAnswerTooLarge(error: unknown): boolean {
  return isAppError(error) && error.details?.maxBytes !== undefined;
}

/** Asks for a page of `limit` items; for half as many, down to one, while the answer is too large. */
export async function halvedWhileTooLarge<Page>(limit: number, ask: (limit: number) => Promise<Page>): Promise<Page> {
  try {
    return await ask(limit);
  } catch (error) {
    if (limit <= 1 || !isAnswerTooLarge(error)) throw error;
    return halvedWhileTooLarge(Math.ceil(limit / 2), ask);
  }
}

/** The target size of a page. */
const TARGET_BYTES = 4 * 1024 * 1024;
const MOST_ITEMS = 500;
const MOST_GROWTH = 4;

/** The limit for the next page, from 1 to 500 items, given the size of the last one. It grows at most fourfold. */
export function nextLimit(limit: number, { items, bytes }: { items: number; bytes: number }): number {
  const fitting = items === 0 ? limit : Math.floor((TARGET_BYTES * items) / bytes);
  return Math.max(1, Math.min(fitting, limit * MOST_GROWTH, MOST_ITEMS));
}
