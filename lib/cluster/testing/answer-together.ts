import type { RequestListener, ServerResponse } from "node:http";

/** Answers so many requests at once, as soon as all of them are there. */
export function answerTogether(count: number, answer: (response: ServerResponse) => void): RequestListener {
  const waiting: ServerResponse[] = [];
  return (_, response) => {
    waiting.push(response);
    if (waiting.length === count) for (const one of waiting.splice(0)) answer(one);
  };
}
