"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/crd.ts";
import { changeVersion, versionChangePreviewQuery } from "#lib/queries/version-queries.ts";
import { ChangePreview } from "./change-preview.tsx";
import { FlagFields } from "./flag-fields.tsx";
import { changeBetween, flagsOf } from "./version-flags.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: CrdVersion;
  onDone: () => void;
}

/** A version's flags with what a change of them sends and causes. */
export function ChangeVersionForm({ cluster, crd, version, onDone }: Props) {
  // What is changed is decided on what was seen when the dialog opened.
  const [seen] = useState({ generation: crd.generation, flags: flagsOf(version) });
  const [flags, setFlags] = useState(seen.flags);
  const change = changeBetween(seen.flags, flags);
  const body = { ...change, expectedGeneration: seen.generation };
  const preview = useQuery({ ...versionChangePreviewQuery(cluster, crd.name, version.name, body), enabled: change !== null });
  const { mutate, isPending, error } = useMutation(changeVersion(cluster, crd.name, version.name));
  const shown = change === null ? undefined : preview.data;
  const isReady = change !== null && !preview.isPlaceholderData && shown?.refusal === null && shown.rejection === null;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) mutate(body, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <FlagFields
        version={version}
        flags={flags}
        onChange={(next) => setFlags({ ...flags, ...next })}
        rejection={shown?.rejection ?? null}
      />
      {crd.owner ? (
        <Notice tone="warning" title={`${crd.owner} owns this definition`}>
          <p>It may take a change made here back. Make it in its source as well; what to write there is below.</p>
        </Notice>
      ) : null}
      {change === null ? <p className="text-sm text-ink-soft">Nothing is changed yet.</p> : null}
      {shown ? <ChangePreview cluster={cluster} crd={crd} version={version.name} flags={flags} preview={shown} /> : null}
      {preview.error && change !== null ? <ApiErrorNotice error={preview.error} /> : null}
      {error ? <ApiErrorNotice error={error} /> : null}
      <div className="flex justify-end gap-2">
        <Dialog.Close className={buttonClass("quiet")}>Leave it as it is</Dialog.Close>
        <Button type="submit" weight="primary" disabled={!isReady || isPending}>
          {isPending ? "Changing…" : `Change ${version.name}`}
        </Button>
      </div>
    </form>
  );
}
