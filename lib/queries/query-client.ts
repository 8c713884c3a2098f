import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-client.ts";

const RETRIES = 2;

/** A client with the project's defaults: the answer of the cluster is final, a passing failure is tried again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (failures, error) => failures < RETRIES && isPassing(error) },
      mutations: { retry: false },
    },
  });
}

function isPassing(error: Error): boolean {
  if (!(error instanceof ApiError)) return false;
  // No answer at all shows in the banner at once; polling is the retry.
  return error.status >= 500;
}
