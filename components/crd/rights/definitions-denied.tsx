"use client";

import { quoted } from "#components/crd/kubectl/kubectl.ts";
import { KubectlBlock } from "#components/crd/kubectl/kubectl-block.tsx";
import { userWords } from "#components/crd/user-or-unknown.ts";
import { useSignInHref } from "#components/shell/use-sign-in-href.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import type { DefinitionsDenied as Denied } from "#lib/contract/rights.ts";
import { serviceAccountOf } from "#lib/domain/record/known-user.ts";
import { clusterRoleYaml, type NeededRight } from "#lib/domain/rewrite/needed-rights.ts";
import { useSession } from "#lib/queries/session/session-query.ts";
import { maySignInAnew } from "./may-sign-in-anew.ts";

interface Props {
  cluster: string;
  denied: Denied;
  /** The cluster's own words. */
  clusterSays: string | undefined;
  onRetry: () => void;
}

const viewerRights = (["get", "list", "watch"] as const).map(
  (verb): NeededRight => ({ verb, group: "apiextensions.k8s.io", resource: "customresourcedefinitions", why: "to look" }),
);

/** Stands where a page would whose reader may not see the definitions at all: who they are, what they lack, and who can give it. */
export function DefinitionsDenied({ cluster, denied, clusterSays, onRetry }: Props) {
  const session = useSession();
  const signInHref = useSignInHref();
  const user = denied.user ?? session?.user ?? null;
  return (
    <EmptyState title={`You may not ${denied.verb} CustomResourceDefinitions`}>
      <p dir="auto" className="[overflow-wrap:anywhere]">
        {user === null ? "The cluster does not say who you are." : `The cluster knows you as ${userWords(user)}.`} Without this right there
        is nothing that crdshift could show you.
      </p>
      <p>
        Ask somebody who may bind roles in this cluster. <span className="font-mono text-xs text-ink">{VIEWER}</span> lets you look;{" "}
        <span className="font-mono text-xs text-ink">{MIGRATOR}</span> in its place lets you rewrite and prune, too. crdshift&apos;s chart
        and manifests have both, named after the release where that is not crdshift.
      </p>
      <div className="w-full">
        <KubectlBlock cluster={cluster} command={(kubectl) => bindRoleCommand(kubectl, VIEWER, user)} copyLabel="Copy the command" />
      </div>
      {user === null ? <p>kubectl auth whoami says who USER is.</p> : null}
      <details className="w-full">
        <summary>Where the cluster has no such role, and what it said</summary>
        <div className="flex flex-col gap-2 pt-2">
          <p>This one lets people look at definitions, not at objects:</p>
          <CodeBlock text={clusterRoleYaml(VIEWER, viewerRights)} copyLabel="Copy the ClusterRole" />
          {clusterSays ? (
            <>
              <p>The cluster&apos;s answer:</p>
              <CodeBlock text={clusterSays} copyLabel="Copy the cluster's answer" />
            </>
          ) : null}
        </div>
      </details>
      <p>This page asks again by itself.</p>
      <div className="flex flex-wrap gap-2">
        {maySignInAnew(session) ? (
          <ButtonLink href={signInHref} prefetch={false}>
            Sign in as somebody else
          </ButtonLink>
        ) : null}
        <Button onClick={onRetry}>Try again</Button>
      </div>
    </EmptyState>
  );
}

/** The ClusterRoles of crdshift's chart and manifests: to look, and to rewrite and prune, too. */
export const VIEWER = "crdshift-viewer";
export const MIGRATOR = "crdshift-migrator";

/**
 * The command with which somebody who may bind roles gives one to a user; null stands for one whose name is not known. `kubectl` is how
 * it is called for the cluster.
 */
export function bindRoleCommand(kubectl: string, role: string, user: string | null): string {
  const account = user === null ? null : serviceAccountOf(user);
  const subject = account ? `--serviceaccount=${account.namespace}:${account.name}` : `--user=${user === null ? "USER" : quoted(user)}`;
  const name = account ? `${account.namespace}-${account.name}` : (user?.replaceAll(/[^\w.-]+/g, "-") ?? "USER");
  return `${kubectl} create clusterrolebinding ${role}-${name} --clusterrole=${role} ${subject}`;
}
