import type { ReactNode } from "react";
import { ErrorNotice } from "#components/ui/notice.tsx";
import { ApiError } from "#lib/queries/api-client.ts";
import { inLocalTime } from "./in-local-time.ts";

/** An error of a query or mutation, with the server's message. */
export function ApiErrorNotice({ error, children }: { error: Error; children?: ReactNode }) {
  if (!(error instanceof ApiError)) return <ErrorNotice message={error.message}>{children}</ErrorNotice>;
  return (
    <ErrorNotice message={inLocalTime(error.message)} cause={error.clusterSays} nextStep={error.nextStep && inLocalTime(error.nextStep)}>
      {children}
    </ErrorNotice>
  );
}
