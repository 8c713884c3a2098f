"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { VersionRequests } from "#lib/contract/version-requests.ts";
import { type RequestsSeen, withAnswer } from "#lib/domain/request-growth.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { versionRequestsQuery } from "#lib/queries/version-requests-query.ts";
import { auditCommand } from "./audit-command.ts";
import { RequestCounts } from "./request-counts.tsx";

/** What is requested at a version, as an API server counts it, or that this can't be known; and how to find out who it is. */
export function RequestEvidence({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const { data, error } = useQuery(versionRequestsQuery(cluster, crd.name));
  const [seen, setSeen] = useState<RequestsSeen<VersionRequests>[]>([]);
  if (data && seen.at(-1)?.latest !== data) setSeen(withAnswer(seen, data));
  return (
    <section aria-label={`Requests at ${version}`} className="flex max-w-3xl flex-col items-start gap-2">
      <h3 className="text-sm font-medium [overflow-wrap:anywhere]">Requests at {version}</h3>
      {error ? <Unknown error={error} isShown={data !== undefined} /> : null}
      {data ? (
        <RequestCounts crd={crd} version={version} counted={data} seen={seen} />
      ) : error ? null : (
        <p role="status">Reading the API server's counters…</p>
      )}
      <p className="text-ink-soft">Which client sent them only the audit log tells, where one is kept:</p>
      <div className="w-full">
        <CodeBlock text={auditCommand(crd, version)} copyLabel="Copy the command for the audit log" />
      </div>
    </section>
  );
}

function Unknown({ error, isShown }: { error: Error; isShown: boolean }) {
  const then = isShown ? "What stands below is from before." : "That no number stands here does not mean that there is no request.";
  if (!(error instanceof ApiError && error.code === "forbidden")) {
    return (
      <ApiErrorNotice error={error}>
        <p>{then}</p>
      </ApiErrorNotice>
    );
  }
  return (
    <Notice tone="warning" role="status" title="Cannot know: the cluster does not let you read the API server's counters">
      {error.clusterSays ? (
        <p dir="auto" className="font-mono text-xs">
          {error.clusterSays}
        </p>
      ) : null}
      <p>{then} Ask for a role with the verb get on the path /metrics; system:monitoring is one.</p>
    </Notice>
  );
}
