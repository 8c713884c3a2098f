"use client";

import { usePathname } from "next/navigation";
import { fleetHref } from "#components/shell/hrefs.ts";
import { CodeBlock } from "#components/ui/code/code-block.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Button, ButtonLink } from "#components/ui/form/button.tsx";
import { definitionsDeniedSchema } from "#lib/contract/rights.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { useClusters } from "#lib/queries/live/use-cluster-data.ts";
import { DefinitionsDenied } from "./rights/definitions-denied.tsx";

/** Replaces a page whose first request failed. */
export function LoadFailure({ error, subject, onRetry }: { error: Error; subject: string; onRetry: () => void }) {
  const apiError = error instanceof ApiError ? error : null;
  const path = usePathname();
  const isNotFound = apiError?.code === "not_found";
  const up = isNotFound ? wayUp(path) : null;
  const others = useOtherClusters(path);
  const denied = definitionsDeniedSchema.safeParse(apiError?.details).data?.definitionsDenied;
  const cluster = clusterOfPath(path);
  if (denied && cluster !== null) return <DefinitionsDenied {...{ cluster, denied, onRetry }} clusterSays={apiError?.clusterSays} />;
  if (isNotFound && others) return <UnknownCluster message={error.message} others={others} />;
  return (
    <EmptyState title={titleOf(apiError, subject)}>
      <p dir="auto" className="[overflow-wrap:anywhere]">
        {error.message}
      </p>
      {apiError?.clusterSays && apiError.clusterSays !== error.message ? (
        <div className="w-full">
          <CodeBlock text={apiError.clusterSays} copyLabel="Copy the cluster's answer" />
        </div>
      ) : null}
      {apiError?.nextStep ? <p className="text-ink">{apiError.nextStep}</p> : null}
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
