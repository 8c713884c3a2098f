import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-client.ts";

const RETRIES = 2;

/** A client with the project's defaults: it accepts the cluster's answer as final and retries transient failures. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (failures, error) => failures < RETRIES && isTemporary(error) },
      mutations: { retry: false },
    },
  });
}

function isTemporary(error: Error): boolean {
  if (!(error instanceof ApiError)) return false;
  // The banner shows a missing answer immediately; polling is the retry.
  return error.status >= 500;
}
