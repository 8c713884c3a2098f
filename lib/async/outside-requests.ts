import { AsyncLocalStorage } from "node:async_hooks";
import { processWide } from "#lib/process-wide/process-wide.ts";

/**
 * Calls a function as a part of no request: Next would take its work for a part of the request that began it, and keep that for as long. The
 * server loads this before the first request; a route's own copy is loaded within one.
 */
export const outsideRequests = processWide("outside-requests", () => AsyncLocalStorage.snapshot());
