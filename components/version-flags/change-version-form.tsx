"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/crd.ts";
import type { VersionChangeBody } from "#lib/contract/version-change.ts";
import type { VersionLosses } from "#lib/contract/version-losses.ts";
import { flipRefusal } from "#lib/domain/storage-flip.ts";
import { isGivenUp } from "#lib/queries/api-client.ts";
import type { Change } from "#lib/queries/use-change.ts";
import { versionChangePreviewQuery, versionLossesQuery } from "#lib/queries/version-queries.ts";
import { ChangePreview } from "./change-preview.tsx";
import { FlagFields } from "./flag-fields.tsx";
import { FlipLossesSection } from "./flip-losses-section.tsx";
import { changeBetween, flagsOf, type VersionFlags } from "./version-flags.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: CrdVersion;
  /** What is changed already when the form opens. */
  preset?: Partial<VersionFlags>;
  send: Change<CrdDetail, VersionChangeBody>;
  submitLabel: string;
  onDone: () => void;
}

/** A version's flags with what a change of them sends and causes. */
export function ChangeVersionForm({ cluster, crd, version, preset = {}, send, submitLabel, onDone }: Props) {
  // What is changed is decided on what was seen when the dialog opened.
  const [seen] = useState({ generation: crd.generation, flags: flagsOf(version) });
  const [flags, setFlags] = useState({ ...seen.flags, ...preset });
  const change = changeBetween(seen.flags, flags);
  const body = { ...change, expectedGeneration: seen.generation };
  const preview = useQuery({ ...versionChangePreviewQuery(cluster, crd.name, version.name, body), enabled: change !== null });
  const { mutate, isPending, error } = send;
  const shown = change === null ? undefined : preview.data;
  const flips = change?.storage === true && crd.conversion === "None";
  const losses = useQuery({ ...versionLossesQuery(cluster, crd.name, version.name, seen.generation), enabled: flips });
  // What was accepted is what was seen: another look has to be accepted anew.
  const [acceptedAsOf, setAcceptedAsOf] = useState<string | null>(null);
  const isAccepted = losses.data !== undefined && losses.data.asOf === acceptedAsOf;
  const mayLose = losses.isSuccess && !losses.isFetching && (isAccepted || flipRefusal(losses.data) === null);
  const isPreviewed = change !== null && !preview.isPlaceholderData && shown?.refusal === null && shown.rejection === null;
  const isReady = isPreviewed && (!flips || mayLose);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    const accepted = flips && isAccepted && losses.data ? { acceptLosses: shownLosses(losses.data) } : {};
    // What was refused may be losses that came up since: they are looked at again.
    mutate({ ...body, ...accepted }, { onSuccess: onDone, onError: (refusal) => void (flips && !isGivenUp(refusal) && losses.refetch()) });
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
      {flips ? (
        <FlipLossesSection
          losses={losses.data}
          error={losses.error}
          onRetry={() => void losses.refetch()}
          isAccepted={isAccepted}
          onAccept={(accepted) => setAcceptedAsOf(accepted && losses.data ? losses.data.asOf : null)}
        />
      ) : null}
      {shown ? <ChangePreview cluster={cluster} crd={crd} version={version.name} flags={flags} preview={shown} /> : null}
      {preview.error && change !== null ? <ApiErrorNotice error={preview.error} /> : null}
      {error ? <ApiErrorNotice error={error} /> : null}
      <div className="flex justify-end gap-2">
        <Dialog.Close className={buttonClass("quiet")}>Leave it as it is</Dialog.Close>
        <Button type="submit" weight="primary" disabled={!isReady || isPending}>
          {isPending ? "Changing…" : submitLabel}
        </Button>
      </div>
    </form>
  );
}

/** What is accepted with a click is what stood there: paths where all are known, else whatever is found. */
function shownLosses({ losses, moreLosses, unknownBecause }: VersionLosses): true | string[] {
  return moreLosses > 0 || unknownBecause !== null ? true : losses.map(({ path }) => path);
}
