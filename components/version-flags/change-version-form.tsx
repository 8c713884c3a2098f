"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { type FormEvent, useState } from "react";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { patchCommand } from "#components/shared/kubectl.ts";
import { KubectlBlock } from "#components/shared/kubectl-block.tsx";
import { useTold } from "#components/shared/use-told.ts";
import { CodeBlock } from "#components/ui/code.tsx";
import { Button, buttonClass } from "#components/ui/form.tsx";
import { ErrorNotice, Notice } from "#components/ui/notice.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/definition/crd.ts";
import type { VersionChangeBody, VersionChangePreview, VersionLosses } from "#lib/contract/definition/version-change.ts";
import { flipRefusal } from "#lib/domain/versions/storage-flip.ts";
import { isGivenUp } from "#lib/queries/api-client.ts";
import { versionChangePreviewQuery, versionLossesQuery } from "#lib/queries/definition/definition-mutations.ts";
import type { Change } from "#lib/queries/session/use-change.ts";
import { FlagFields, WarningField } from "./flag-fields.tsx";
import { FlipLossesSection } from "./flip-losses-section.tsx";
import { changeBetween, flagsOf, sourceLines, type VersionFlags } from "./version-flags.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: CrdVersion;
  /** The flags to change; null to choose them. */
  intended: Partial<VersionFlags> | null;
  send: Change<CrdDetail, VersionChangeBody>;
  submitLabel: string;
  pendingLabel: string;
  onDone: () => void;
}

/** A version's flags, with the patch and the effects of a change. */
export function ChangeVersionForm({ cluster, crd, version, intended, send, submitLabel, pendingLabel, onDone }: Props) {
  // The state when the dialog opened: the user decides on what they saw.
  const [seen] = useState({ generation: crd.generation, flags: flagsOf(version) });
  const [flags, setFlags] = useState({ ...seen.flags, ...intended });
  const change = changeBetween(seen.flags, flags);
  const body = { ...change, expectedGeneration: seen.generation };
  const preview = useQuery({ ...versionChangePreviewQuery(cluster, crd.name, version.name, body), enabled: change !== null });
  const { mutate, isPending, error } = send;
  const shown = change === null ? undefined : preview.data;
  const flips = change?.storage === true && crd.conversion === "None";
  const losses = useQuery({ ...versionLossesQuery(cluster, crd.name, version.name, seen.generation), enabled: flips });
  // The user accepts the losses shown; newer ones need a new acceptance.
  const [acceptedAsOf, setAcceptedAsOf] = useState<string | null>(null);
  const isAccepted = losses.data !== undefined && losses.data.asOf === acceptedAsOf;
  const mayLose = losses.isSuccess && !losses.isFetching && (isAccepted || flipRefusal(losses.data) === null);
  const isPreviewed = change !== null && !preview.isPlaceholderData && shown?.refusal === null && shown.rejection === null;
  const isReady = isPreviewed && (!flips || mayLose);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    const accepted = flips && isAccepted && losses.data ? { acceptLosses: shownLosses(losses.data) } : {};
    // The refusal may be about newer losses, so check again.
    mutate({ ...body, ...accepted }, { onSuccess: onDone, onError: (refusal) => void (flips && !isGivenUp(refusal) && losses.refetch()) });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {intended === null ? (
        <FlagFields
          version={version}
          flags={flags}
          onChange={(next) => setFlags({ ...flags, ...next })}
          rejection={shown?.rejection ?? null}
        />
      ) : flags.deprecated && intended.deprecated ? (
        <WarningField flags={flags} onChange={(next) => setFlags({ ...flags, ...next })} rejection={shown?.rejection ?? null} />
      ) : null}
      {crd.owner ? (
        <Notice tone="warning" title={`${crd.owner} owns this definition`}>
          <p>It may revert a change you make here. Make it in its source too; the lines to write are below.</p>
        </Notice>
      ) : null}
      {change === null ? <p className="text-sm text-ink-soft">No changes yet.</p> : null}
      {flips ? (
        <FlipLossesSection
          losses={losses.data}
          error={losses.error}
          onRetry={() => void losses.refetch()}
          isAccepted={isAccepted}
          onAccept={(accepted) => setAcceptedAsOf(accepted && losses.data ? losses.data.asOf : null)}
        />
      ) : null}
      {shown ? (
        // Until the next preview comes, the one shown is for other flags: nobody must copy its commands.
        <div inert={preview.isPlaceholderData} className={clsx("flex flex-col gap-4", preview.isPlaceholderData && "opacity-50")}>
          <ChangePreview crd={crd} version={version.name} flags={flags} preview={shown} />
        </div>
      ) : null}
      {preview.error && change !== null ? <ApiErrorNotice error={preview.error} /> : null}
      {error ? <ApiErrorNotice error={error} /> : null}
      <div className="flex justify-end gap-2">
        <Dialog.Close className={buttonClass("quiet")}>Cancel</Dialog.Close>
        <Button type="submit" weight="primary" disabled={!isReady || isPending}>
          {isPending ? pendingLabel : submitLabel}
        </Button>
      </div>
    </form>
  );
}

/** What a click accepts: the listed paths if all are known, otherwise true for any loss found. */
function shownLosses({ losses, moreLosses, unknownBecause }: VersionLosses): true | string[] {
  return moreLosses > 0 || unknownBecause !== null ? true : losses.map(({ path }) => path);
}

interface ChangePreviewProps {
  crd: CrdDetail;
  version: string;
  flags: VersionFlags;
  preview: VersionChangePreview;
}

/** The effects of a change or what blocks it, with the patch it sends. */
function ChangePreview({ crd, version, flags, preview }: ChangePreviewProps) {
  const { refusal, rejection, effects, patch } = preview;
  const told = useTold();
  return (
    <>
      {refusal ? <Notice tone="blocked" role="alert" title={told(refusal)} /> : null}
      {rejection ? <ErrorNotice message="The API server would reject this change." cause={rejection.message} /> : null}
      <section aria-label="Effects" className="flex flex-col gap-1">
        <h3 className="text-sm font-medium">Effects</h3>
        <ul className="flex list-disc flex-col gap-1 pl-4 text-sm text-ink-soft">
          {effects.map((effect) => (
            <li key={effect} dir="auto" className="[overflow-wrap:anywhere]">
              {effect}
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="The patch" className="flex flex-col gap-1.5">
        <h3 className="text-sm font-medium">With kubectl</h3>
        <KubectlBlock command={(kubectl) => patchCommand(kubectl, crd.name, patch)} copyLabel="Copy the command" />
        {crd.owner ? (
          <>
            <h3 className="text-sm font-medium">In its source manifest</h3>
            <CodeBlock text={sourceLines(crd.versions, version, flags)} copyLabel="Copy the source lines" />
          </>
        ) : null}
      </section>
    </>
  );
}
