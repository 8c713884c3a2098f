import type { ReactNode } from "react";
import { Button } from "#components/ui/form.tsx";
import { ErrorNotice } from "#components/ui/notice.tsx";
import { ApiError } from "#lib/queries/api-client.ts";
import { useTold } from "./use-told.ts";

/** An error of a query or mutation, with the server's message. */
export function ApiErrorNotice({ error, children }: { error: Error; children?: ReactNode }) {
  const told = useTold();
  if (!(error instanceof ApiError)) return <ErrorNotice message={error.message}>{children}</ErrorNotice>;
  return (
    <ErrorNotice message={told(error.message)} cause={error.clusterSays} nextStep={error.nextStep && told(error.nextStep)}>
      {children}
    </ErrorNotice>
  );
}

interface RetryNoticeProps {
  error: Error;
  isFetching: boolean;
  refetch: () => unknown;
  /** What else the user can do. */
  children?: ReactNode;
}

/** An error of a query, with a button that tries again. */
export function RetryNotice({ error, isFetching, refetch, children }: RetryNoticeProps) {
  return (
    <ApiErrorNotice error={error}>
      {children}
      <Button onClick={() => refetch()} disabled={isFetching}>
        {isFetching ? "Trying…" : "Try again"}
      </Button>
    </ApiErrorNotice>
  );
}
