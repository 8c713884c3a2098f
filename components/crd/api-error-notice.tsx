import type { ReactNode } from "react";
import { ErrorNotice } from "#components/ui/notice.tsx";
import { localTimes } from "#lib/domain/wording/local-time.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

/** An error of a query or mutation, with the server's message. */
export function ApiErrorNotice({ error, children }: { error: Error; children?: ReactNode }) {
  if (!(error instanceof ApiError)) return <ErrorNotice message={error.message}>{children}</ErrorNotice>;
  return (
    <ErrorNotice message={inLocalTime(error.message)} cause={error.clusterSays} nextStep={error.nextStep && inLocalTime(error.nextStep)}>
      {children}
    </ErrorNotice>
  );
}

/** A sentence of the server with its times, which are UTC, in the browser's time zone. Not for the cluster's own words. */
export function inLocalTime(text: string): string {
  return localTimes(text, serverNow());
}
