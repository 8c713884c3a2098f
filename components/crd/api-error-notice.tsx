import type { ReactNode } from "react";
import { ErrorNotice } from "#components/ui/error-notice.tsx";
import { ApiError } from "#lib/queries/api-client.ts";

/** Any error of a query or mutation, in the server's words. */
export function ApiErrorNotice({ error, children }: { error: Error; children?: ReactNode }) {
  if (!(error instanceof ApiError)) return <ErrorNotice message={error.message}>{children}</ErrorNotice>;
  return (
    <ErrorNotice message={error.message} cause={error.clusterSays} nextStep={error.nextStep}>
      {children}
    </ErrorNotice>
  );
}
