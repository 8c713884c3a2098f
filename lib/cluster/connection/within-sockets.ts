import { AsyncLocalStorage } from "node:async_hooks";
import type { Dispatcher } from "undici";
import { whenAborted } from "#lib/async/until-aborted.ts";

/**
 * For `compose`: passes on only as many requests as there are sockets, oldest first. One that waits leaves as soon as the `signal` among its
 * options aborts. undici's own queue has no limit, and keeps each request, with all that its caller held, until a socket is free.
 */
export function withinSockets(most: number): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => {
    let open = 0;
    const waiting = new Set<() => void>();
    const beginNext = () => {
      const [begin] = waiting;
      if (begin && open < most) begin();
    };
    const end = () => {
      open -= 1;
      // Not at once: one that fails at once would begin the next within itself.
      if (waiting.size > 0) queueMicrotask(beginNext);
    };
    const send = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
      open += 1;
      let isOpen = true;
      const close = () => {
        if (isOpen) end();
        isOpen = false;
      };
      try {
        dispatch(options, untilEnded(handler, close));
      } catch (error) {
        close();
        // Of one that waited, nobody else would catch it.
        leave(handler, error);
      }
    };
    const wait = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
      const signal = signalOf(options);
      if (signal?.aborted) return leave(handler, signal.reason);
      // The end of another one begins it, and it would be taken for a part of that.
      const begin = AsyncLocalStorage.bind(() => {
        waiting.delete(begin);
        unlisten?.();
        send(options, handler);
      });
      const unlisten =
        signal &&
        whenAborted(signal, (reason) => {
          waiting.delete(begin);
          leave(handler, reason);
        });
      waiting.add(begin);
    };
    return (options, handler) => {
      if (open < most && waiting.size === 0) send(options, handler);
      else wait(options, handler);
      return open < most;
    };
  };
}

function signalOf(options: Dispatcher.DispatchOptions): AbortSignal | null {
  return "signal" in options && options.signal instanceof AbortSignal ? options.signal : null;
}

/** The handler, with a call once its answer has ended or failed. */
function untilEnded(handler: Dispatcher.DispatchHandler, close: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart: (controller, status, headers, message) => handler.onResponseStart?.(controller, status, headers, message),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd(controller, trailers) {
      close();
      handler.onResponseEnd?.(controller, trailers);
    },
    onResponseError(controller, error) {
      close();
      handler.onResponseError?.(controller, error);
    },
  };
}

function leave(handler: Dispatcher.DispatchHandler, reason: unknown): void {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  const nothing = () => {};
  handler.onResponseError?.({ aborted: true, paused: false, reason: error, abort: nothing, pause: nothing, resume: nothing }, error);
}
