"use client";

import { type UseMutationOptions, type UseMutationResult, useMutation } from "@tanstack/react-query";
import { isGivenUp } from "#lib/queries/api-client.ts";

export type Change<Data, Variables> = Pick<
  UseMutationResult<Data, Error, Variables>,
  "mutate" | "mutateAsync" | "isPending" | "isSuccess" | "error" | "reset"
>;

/** useMutation for changes to definitions that may be protected. Giving no reason gives the change up without an error. */
export function useChange<Data, Variables>(options: UseMutationOptions<Data, Error, Variables>): Change<Data, Variables> {
  const { mutate, mutateAsync, isPending, isSuccess, error, reset } = useMutation(options);
  return { mutate, mutateAsync, isPending, isSuccess, error: isGivenUp(error) ? null : error, reset };
}
