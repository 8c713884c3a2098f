"use client";

import { Button } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { ApiError } from "#lib/queries/api-client.ts";

/** Stands where a page would when its first answer is an error. */
export function LoadFailure({ error, subject, onRetry }: { error: Error; subject: string; onRetry: () => void }) {
  const apiError = error instanceof ApiError ? error : null;
  return (
    <EmptyState title={titleOf(apiError, subject)}>
      <p dir="auto" className="[overflow-wrap:anywhere]">
        {error.message}
      </p>
      {apiError?.clusterSays && apiError.clusterSays !== error.message ? (
        <div className="w-full">
          <CodeBlock text={apiError.clusterSays} copyLabel="Copy the cluster's answer" />
        </div>
      ) : null}
      {apiError?.nextStep ? <p className="text-ink">{apiError.nextStep}</p> : null}
      <Button onClick={onRetry}>Try again</Button>
    </EmptyState>
  );
}

function titleOf(error: ApiError | null, subject: string): string {
  switch (error?.code) {
    case "forbidden":
      return `The cluster does not let you see ${subject}`;
    case "unauthenticated":
      return "The cluster asks you to sign in";
    case "not_found":
      return `There is no ${subject} here`;
    case "cluster_unreachable":
    case "cluster_timeout":
      return "The cluster does not answer";
    case "server_unreachable":
      return "crdshift does not answer";
    default:
      return `Could not load ${subject}`;
  }
}
