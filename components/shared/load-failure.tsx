"use client";

import { usePathname } from "next/navigation";
import { fleetHref } from "#components/hrefs.ts";
import { maySignInAgain, useSignInHref } from "#components/shell/use-sign-in-href.ts";
import { CodeBlock } from "#components/ui/code.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Button, ButtonLink } from "#components/ui/form.tsx";
import { type DefinitionsDenied as Denied, definitionsDeniedSchema } from "#lib/contract/rights.ts";
import { serviceAccountOf } from "#lib/domain/audit/known-user.ts";
import { clusterRoleYaml, type NeededRight } from "#lib/domain/rewrite/needed-rights.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { useClusters } from "#lib/queries/live/use-cluster-data.ts";
import { useSession } from "#lib/queries/session/session-query.ts";
import { KubectlBlock } from "./kubectl-block.tsx";
import { useKubectl } from "./kubectl-scope.tsx";
import { userWords } from "./names.tsx";
import { useTold } from "./use-told.ts";

/** Replaces a page whose first request failed. */
export function LoadFailure({ error, subject, onRetry }: { error: Error; subject: string; onRetry: () => void }) {
  const apiError = error instanceof ApiError ? error : null;
  const path = usePathname();
  const told = useTold();
  const isNotFound = apiError?.code === "not_found";
  const up = isNotFound ? wayUp(path) : null;
  const others = useOtherClusters(path);
  const denied = definitionsDeniedSchema.safeParse(apiError?.details).data?.definitionsDenied;
  const cluster = clusterOfPath(path);
  if (denied && cluster !== null) return <DefinitionsDenied {...{ denied, onRetry }} clusterSays={apiError?.clusterSays} />;
  if (isNotFound && others) return <UnknownCluster message={error.message} others={others} />;
  return (
    <EmptyState title={titleOf(apiError, subject)}>
      <p dir="auto" className="[overflow-wrap:anywhere]">
        {told(error.message)}
      </p>
      {apiError?.clusterSays && apiError.clusterSays !== error.message ? (
        <div className="w-full">
          <CodeBlock text={apiError.clusterSays} copyLabel="Copy the cluster's answer" />
        </div>
      ) : null}
      {apiError?.nextStep ? <p className="text-ink">{told(apiError.nextStep)}</p> : null}
      <div className="flex flex-wrap gap-2">
        {up ? <ButtonLink href={up.href}>{up.label}</ButtonLink> : null}
        <Button onClick={onRetry}>Try again</Button>
      </div>
    </EmptyState>
  );
}

function UnknownCluster({ message, others }: { message: string; others: string[] }) {
  return (
    <EmptyState title="No context with this name">
      <p dir="auto" className="[overflow-wrap:anywhere]">
        {message} {others.length > 0 ? "These contexts exist:" : "The kubeconfig has no other context."}
      </p>
      <ul aria-label="Contexts" className="flex flex-col gap-1">
        {others.map((name) => (
          <li key={name}>
            <ButtonLink href={fleetHref(name)} prefetch={false} className="max-w-full">
              <span className="truncate">{name}</span>
            </ButtonLink>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

/** The known clusters if the page's cluster is not one of them, else null. */
function useOtherClusters(path: string): string[] | null {
  const { data } = useClusters();
  const names = data?.clusters.map(({ name }) => name);
  const cluster = clusterOfPath(path);
  return cluster !== null && names && !names.includes(cluster) ? names : null;
}

function titleOf(error: ApiError | null, subject: string): string {
  switch (error?.code) {
    case "forbidden":
      return `You don't have access to ${subject}`;
    case "unauthenticated":
      return error.asksToSignIn ? "Sign in to continue" : "The cluster requires you to sign in";
    case "not_found":
      return `Not found: ${subject}`;
    case "cluster_unreachable":
    case "cluster_timeout":
      return "The cluster isn't responding";
    case "server_unreachable":
      return "crdshift isn't responding";
    default:
      return `Couldn't load ${subject}`;
  }
}

const PAGE = /^(?<fleet>\/clusters\/(?<cluster>[^/]+))(?<crd>\/crds\/[^/]+)?(?<below>\/.+)?$/;

/** The cluster in a page's path, or null. */
export function clusterOfPath(path: string): string | null {
  const cluster = PAGE.exec(path)?.groups?.cluster;
  return cluster === undefined ? null : decodeURIComponent(cluster);
}

/** The parent page of a path: the definition for a run, dry run or objects; the fleet for a definition; else null. */
export function wayUp(path: string): { href: string; label: string } | null {
  const { fleet, crd, below } = PAGE.exec(path)?.groups ?? {};
  if (!fleet || !crd) return null;
  return below ? { href: `${fleet}${crd}`, label: "Go to the definition" } : { href: fleet, label: "Go to all definitions" };
}

interface Props {
  denied: Denied;
  /** The cluster's message. */
  clusterSays: string | undefined;
  onRetry: () => void;
}

const viewerRights = (["get", "list", "watch"] as const).map(
  (verb): NeededRight => ({ verb, group: "apiextensions.k8s.io", resource: "customresourcedefinitions", why: "to view definitions" }),
);

/** Replaces the page for a user who can't see any definition: who they are, what they lack, and who can grant it. */
function DefinitionsDenied({ denied, clusterSays, onRetry }: Props) {
  const session = useSession();
  const signInHref = useSignInHref();
  const kubectl = useKubectl();
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
        <KubectlBlock command={(kubectl) => bindRoleCommand(kubectl, VIEWER, user)} copyLabel="Copy the command" />
      </div>
      {user === null ? <p>To find USER, run {kubectl} auth whoami.</p> : null}
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
  const subject = account
    ? `--serviceaccount=${account.namespace}:${account.name}`
    : `--user=${user === null ? "USER" : shellQuoted(user)}`;
  const name = account ? `${account.namespace}-${account.name}` : (user?.replaceAll(/[^\w.-]+/g, "-") ?? "USER");
  return `${kubectl} create clusterrolebinding ${role}-${name} --clusterrole=${role} ${subject}`;
}
