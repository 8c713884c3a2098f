"use client";

import { Popover } from "@base-ui/react/popover";
import { type UseMutationOptions, useQuery } from "@tanstack/react-query";
import { type ComponentProps, useId } from "react";
import { CodeBlock } from "#components/ui/code.tsx";
import { MessageDialog } from "#components/ui/dialog.tsx";
import { Button, buttonClass } from "#components/ui/form.tsx";
import { menuPopupClass } from "#components/ui/menu-class.ts";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { SessionInfo } from "#lib/contract/session.ts";
import { serviceAccountOf } from "#lib/domain/audit/known-user.ts";
import {
  canIcommand,
  clusterRoleYaml,
  type GuardedAction,
  type NeededRight,
  type Right,
  rightWords,
} from "#lib/domain/rewrite/needed-rights.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { rightsQuery, useMissingRights } from "#lib/queries/definition/crd-queries.ts";
import { useReadOnly, useSession } from "#lib/queries/session/session-query.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { ApiErrorNotice } from "./api-error-notice.tsx";
import { useDefinitionScope } from "./breadcrumbs.tsx";
import { kubectlFor } from "./kubectl.ts";
import { pluralOf } from "./names.tsx";

const READ_ONLY = "crdshift is running in read-only mode.";

interface Props extends ComponentProps<typeof Button> {
  /** The action to check permissions for, if it needs any that the cluster can be asked about. */
  action?: GuardedAction | undefined;
}

/** A button that changes something, or opens a dialog that does. Disabled, with the reason, in read-only mode or without permission. */
export function ChangeButton({ action, ...props }: Props) {
  const isReadOnly = useReadOnly();
  const scope = useDefinitionScope();
  if (isReadOnly) return <Button {...props} disabled title={READ_ONLY} aria-describedby={undefined} />;
  return action && scope ? <GuardedButton {...props} {...scope} action={action} /> : <Button {...props} />;
}

interface GuardedButtonProps extends ComponentProps<typeof Button> {
  cluster: string;
  crd: string;
  /** The action to check permissions for. */
  action: GuardedAction;
}

/** A button that is disabled while permissions are missing, with "Why not?" beside it. */
function GuardedButton({ cluster, crd, action, id, disabled, ...props }: GuardedButtonProps) {
  const missing = useMissingRights(cluster, crd, action);
  const ownId = useId();
  const buttonId = id ?? ownId;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <Button {...props} id={buttonId} disabled={disabled || missing.length > 0} />
      {missing.length > 0 ? <MissingRights cluster={cluster} crd={crd} rights={missing} buttonId={buttonId} /> : null}
    </span>
  );
}

interface OneClickButtonProps<Variables> {
  mutation: UseMutationOptions<CrdDetail, Error, Variables>;
  variables: Variables;
  action: GuardedAction;
  label: string;
  pendingLabel: string;
  /** The title of the error dialog. */
  failure: string;
  weight?: "primary" | "quiet";
  disabled?: boolean;
  describedBy?: string | undefined;
  hint?: string;
}

/** A button for a reversible action: acts without confirmation and shows errors in a dialog. */
export function OneClickButton<Variables>(props: OneClickButtonProps<Variables>) {
  const { mutation, variables, action, label, pendingLabel, failure, weight = "quiet", disabled = false, describedBy, hint } = props;
  const { mutate, isPending, error, reset } = useChange(mutation);
  return (
    <>
      <ChangeButton
        action={action}
        onClick={() => mutate(variables)}
        weight={weight}
        disabled={disabled || isPending}
        aria-describedby={describedBy}
        title={hint}
      >
        {isPending ? pendingLabel : label}
      </ChangeButton>
      <MessageDialog title={failure} open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}

interface MissingRightsProps {
  cluster: string;
  crd: string;
  /** At least one. */
  rights: readonly NeededRight[];
  /** The button that these permissions would enable. */
  buttonId: string;
}

const blockClass = "flex flex-col gap-1.5";
const headingClass = "text-xs font-medium text-ink-soft";

/** The "Why not?" beside a button disabled for missing permissions: lists them, how to check them, and a ClusterRole that grants them. */
function MissingRights({ cluster, crd, rights, buttonId }: MissingRightsProps) {
  const id = useId();
  const asOf = useQuery(rightsQuery(cluster, crd)).data?.asOf;
  const { heading, commands } = rightsQuestion(rights, cluster, useSession());
  return (
    <Popover.Root>
      <Popover.Trigger
        id={id}
        aria-labelledby={`${id} ${buttonId}`}
        className="h-6 rounded px-1 text-xs whitespace-nowrap text-ink-soft underline underline-offset-2 hover:text-ink"
      >
        Why not?
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} collisionPadding={8} className="z-50">
          <Popover.Popup className={`${menuPopupClass} flex w-[36rem] max-w-(--available-width) flex-col gap-3 px-4 py-3!`}>
            <Popover.Title className="font-semibold">Missing permissions</Popover.Title>
            <Popover.Description render={<ul />} className="flex flex-col gap-1 [overflow-wrap:anywhere]">
              {rights.map((right) => (
                <li key={rightWords(right)}>
                  You don't have permission to <span className="font-mono text-xs">{rightWords(right)}</span> ({right.why}).
                </li>
              ))}
            </Popover.Description>
            <div className={blockClass}>
              <h3 className={headingClass}>{heading}</h3>
              <CodeBlock text={commands.join("\n")} copyLabel={commands.length === 1 ? "Copy the command" : "Copy the commands"} />
            </div>
            <div className={blockClass}>
              <h3 className={headingClass}>A ClusterRole that grants {rights.length === 1 ? "it" : "them"}, once bound to you:</h3>
              <CodeBlock text={clusterRoleYaml(`crdshift-${pluralOf(crd)}`, rights)} copyLabel="Copy the ClusterRole" />
            </div>
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p className="text-xs text-ink-soft">
                {asOf ? (
                  <>
                    Checked at <Time at={asOf} seconds />. This page rechecks automatically.
                  </>
                ) : null}
              </p>
              <Popover.Close className={buttonClass("quiet")}>Close</Popover.Close>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

type Session = Pick<SessionInfo, "mode" | "user">;

/** The commands that repeat crdshift's permission check, under a heading that says whose kubeconfig to use. `session`: null until known. */
export function rightsQuestion(
  rights: readonly Right[],
  cluster: string,
  session: Session | null,
): { heading: string; commands: string[] } {
  const { heading, as } = askedAs(session);
  const kubectl = kubectlFor(session, cluster);
  // crdshift checks all namespaces; by default kubectl checks only the current one.
  return { heading, commands: rights.map((right) => `${canIcommand(kubectl, right)} --all-namespaces${as}`) };
}

function askedAs(session: Session | null): { heading: string; as: string } {
  if (session?.mode !== "token") return { heading: "Check your permissions:", as: "" };
  // The API server derives a service account's groups; for other users kubectl would have to name them.
  if (session.user === null || !serviceAccountOf(session.user)) {
    return { heading: "Check your permissions, with a kubeconfig for the account you signed in with:", as: "" };
  }
  return { heading: "Check your permissions, with a kubeconfig that can impersonate:", as: ` --as=${shellQuoted(session.user)}` };
}
