"use client";

import { hashKey, type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";

/**
 * Data, error and refetch of a query whose error stays until an answer comes. While there is no data, TanStack Query forgets the error
 * whenever it asks again, so a page that can't be loaded would flash, and what was opened on it would close.
 */
export function useLastingQuery<Data, Selected = Data, Key extends QueryKey = QueryKey>(
  options: UseQueryOptions<Data, Error, Selected, Key>,
) {
  const { data, error, refetch } = useQuery(options);
  const key = hashKey(options.queryKey);
  const [last, setLast] = useState({ key, error });
  const lasting = data === undefined && last.key === key ? (error ?? last.error) : error;
  if (last.key !== key || last.error !== lasting) setLast({ key, error: lasting });
  return { data, error: lasting, refetch };
}
