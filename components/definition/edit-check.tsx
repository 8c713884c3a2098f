"use client";

import { useQuery } from "@tanstack/react-query";
import { Ago } from "#components/shared/ago.tsx";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { ChangeButton } from "#components/shared/change-button.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { type EditVerdict, editCauseWords, editVerdictWords } from "#lib/domain/definition/edit-verdict.ts";
import { editCheckQuery } from "#lib/queries/definition/crd-queries.ts";

const looks: Record<EditVerdict["verdict"], { sign: string; color: string }> = {
  accepted: { sign: "✓", color: "text-ink" },
  refused: { sign: "✕", color: "text-blocked" },
  "not-tried": { sign: "–", color: "text-ink-soft" },
};

/** On request, asks the API server whether it would accept an edit of the schemas. */
export function EditCheck({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error, isFetching, refetch } = useQuery(editCheckQuery(cluster, crd.name, crd.generation));
  return (
    <div className="flex flex-col items-start gap-2 pt-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <ChangeButton action="change-spec" onClick={() => refetch()} disabled={isFetching}>
          {isFetching ? "Checking…" : data ? "Check again" : "Check the next edit"}
        </ChangeButton>
        {data && !isFetching ? (
          <p className="text-ink-soft">
            checked <Ago at={data.asOf} />
            {data.serverVersion ? `, ${data.serverVersion}` : ""}
          </p>
        ) : null}
        <span role="status" className="sr-only">
          {isFetching ? "Checking" : data ? "Checked" : ""}
        </span>
      </div>
      {error && !isFetching ? <ApiErrorNotice error={error} /> : null}
      {data && !error ? <Verdict result={data.result} /> : null}
    </div>
  );
}

function Verdict({ result }: { result: EditVerdict }) {
  const { sign, color } = looks[result.verdict];
  return (
    <div className="flex max-w-3xl flex-col gap-1 [overflow-wrap:anywhere]">
      <p className={color}>
        <span aria-hidden>{sign}</span> {editVerdictWords(result)}
      </p>
      {result.verdict === "not-tried" ? <p className="text-ink-soft">{result.because}</p> : null}
      {result.verdict === "refused" ? (
        <ul aria-label="Causes" className="flex flex-col gap-1">
          {result.causes.length === 0 ? <li dir="auto">{result.message}</li> : null}
          {result.causes.map((cause) => (
            <li key={`${cause.field} ${cause.message}`}>
              <p dir="auto">{editCauseWords(cause)}</p>
              <p className="font-mono text-xs text-ink-soft">{cause.field}</p>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
