"use client";

import { quoted } from "#components/crd/kubectl/kubectl.ts";
import { KubectlBlock } from "#components/crd/kubectl/kubectl-block.tsx";
import { userWords } from "#components/crd/user-or-unknown.ts";
import { maySignInAgain, useSignInHref } from "#components/shell/use-sign-in-href.ts";
import { CodeBlock } from "#components/ui/code/code-block.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Button, ButtonLink } from "#components/ui/form/button.tsx";
import type { DefinitionsDenied as Denied } from "#lib/contract/rights.ts";
import { serviceAccountOf } from "#lib/domain/record/known-user.ts";
import { clusterRoleYaml, type NeededRight } from "#lib/domain/rewrite/needed-rights.ts";
import { useSession } from "#lib/queries/session/session-query.ts";

interface Props {
  cluster: string;
  denied: Denied;
  /** The cluster's message. */
  clusterSays: string | undefined;
  onRetry: () => void;
}

const viewerRights = (["get", "list", "watch"] as const).map(
  (verb): NeededRight => ({ verb, group: "apiextensions.k8s.io", resource: "customresourcedefinitions", why: "to view definitions" }),
);

/** Replaces the page for a user who can't see any definition: who they are, what they lack, and who can grant it. */
export function DefinitionsDenied({ cluster, denied, clusterSays, onRetry }: Props) {
  const session = useSession();
  const signInHref = useSignInHref();
  const user = denied.user ?? session?.user ?? null;
  return (
    <EmptyState title={`You don't have permission to ${denied.verb} CustomResourceDefinitions`}>
      <p dir="auto" className="[overflow-wrap:anywhere]">
        {user === null ? "The cluster doesn't say who you are." : `The cluster knows you as ${userWords(user)}.`} Without this permission,
        crdshift has nothing to show you.
      </p>
      <p>
        Ask someone who can bind roles in this cluster. <span className="font-mono text-xs text-ink">{VIEWER}</span> lets you view;{" "}
        <span className="font-mono text-xs text-ink">{MIGRATOR}</span> also lets you rewrite and prune. crdshift&apos;s chart and manifests
        include both; if your release isn&apos;t called crdshift, they are named after it.
      </p>
      <div className="w-full">
        <KubectlBlock cluster={cluster} command={(kubectl) => bindRoleCommand(kubectl, VIEWER, user)} copyLabel="Copy the command" />
      </div>
      {user === null ? <p>To find USER, run kubectl auth whoami.</p> : null}
      <details className="w-full">
        <summary>ClusterRole and the cluster&apos;s answer</summary>
        <div className="flex flex-col gap-2 pt-2">
          <p>If the cluster has no such role, create this one. It lets you view definitions, but not objects:</p>
          <CodeBlock text={clusterRoleYaml(VIEWER, viewerRights)} copyLabel="Copy the ClusterRole" />
          {clusterSays ? (
            <>
              <p>The cluster&apos;s answer:</p>
              <CodeBlock text={clusterSays} copyLabel="Copy the cluster's answer" />
            </>
          ) : null}
        </div>
      </details>
      <p>This page rechecks automatically.</p>
      <div className="flex flex-wrap gap-2">
        {maySignInAgain(session) ? (
          <ButtonLink href={signInHref} prefetch={false}>
            Sign in as another user
          </ButtonLink>
        ) : null}
        <Button onClick={onRetry}>Try again</Button>
      </div>
    </EmptyState>
  );
}

/** The ClusterRoles in crdshift's chart and manifests: one to view, one to also rewrite and prune. */
export const VIEWER = "crdshift-viewer";
export const MIGRATOR = "crdshift-migrator";

/**
 * The command that binds `role` to `user`, for someone who can bind roles. A null user, whose name is unknown, becomes USER. `kubectl`
 * includes the flags for the cluster.
 */
export function bindRoleCommand(kubectl: string, role: string, user: string | null): string {
  const account = user === null ? null : serviceAccountOf(user);
  const subject = account ? `--serviceaccount=${account.namespace}:${account.name}` : `--user=${user === null ? "USER" : quoted(user)}`;
  const name = account ? `${account.namespace}-${account.name}` : (user?.replaceAll(/[^\w.-]+/g, "-") ?? "USER");
  return `${kubectl} create clusterrolebinding ${role}-${name} --clusterrole=${role} ${subject}`;
}
