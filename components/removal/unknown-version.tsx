"use client";

import { type FormEvent, useId, useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { ChangeButton } from "#components/crd/change-button.tsx";
import { definitionHref } from "#components/shell/hrefs.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { putBackVersion } from "#lib/queries/removal-mutations.ts";
import { useChange } from "#lib/queries/use-change.ts";

/** Stands where the path would for a version that the definition neither has nor keeps: it can come back from its YAML. */
export function UnknownVersion({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const [yaml, setYaml] = useState("");
  const id = useId();
  const { mutate, isPending, error } = useChange(putBackVersion(cluster, crd.name, version));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (yaml.trim()) mutate(yaml);
  };
  return (
    <EmptyState title={`${version} is not in spec.versions`}>
      <p className="[overflow-wrap:anywhere]">
        It was never there, or it was removed and the definition keeps nothing of it. In spec.versions there{" "}
        {crd.versions.length === 1 ? "is" : "are"} {crd.versions.map(({ name }) => name).join(", ")}.
      </p>
      <div>
        <ButtonLink href={definitionHref(cluster, crd.name)} prefetch={false}>
          Go to the definition
        </ButtonLink>
      </div>
      <details className="w-full">
        <summary className="text-sm text-ink-soft hover:text-ink">Put it back from its YAML</summary>
        <form onSubmit={submit} className="flex flex-col items-start gap-3 pt-3">
          <label htmlFor={id} className="text-sm font-medium">
            The version's entry of spec.versions, as it was saved
          </label>
          <textarea
            id={id}
            value={yaml}
            onChange={(event) => setYaml(event.target.value)}
            rows={12}
            spellCheck={false}
            className="w-full rounded border border-line-strong bg-page px-2.5 py-2 font-mono text-xs"
          />
          {error ? <ApiErrorNotice error={error} /> : null}
          <ChangeButton type="submit" action="change-spec" disabled={!yaml.trim() || isPending}>
            {isPending ? "Putting back…" : `Put ${version} back`}
          </ChangeButton>
        </form>
      </details>
    </EmptyState>
  );
}
