import type { Dispatcher } from "undici";

export interface ReplaceableDispatcher {
  /** Stays the same: whoever holds it sends through the newest one. */
  dispatcher: Dispatcher;
  /** Sends later requests through this one. Those under way end where they began; the idle sockets there close on their own. */
  replace(next: Dispatcher): void;
  close(): Promise<void>;
}

/** A dispatcher whose requests another one can take over. It reports each request that fails without an answer, unless it was given up. */
export function replaceableDispatcher(first: Dispatcher, onFailure: () => void): ReplaceableDispatcher {
  let current = first;
  return {
    dispatcher: first.compose(() => (options, handler) => current.dispatch(options, reporting(handler, onFailure))),
    replace(next) {
      current = next;
    },
    close: () => current.close(),
  };
}

function reporting(handler: Dispatcher.DispatchHandler, onFailure: () => void): Dispatcher.DispatchHandler {
  let isAnswered = false;
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers, message) {
      isAnswered = true;
      handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError(controller, error) {
      if (!isAnswered && !controller?.aborted) onFailure();
      handler.onResponseError?.(controller, error);
    },
  };
}
