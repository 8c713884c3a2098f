"use client";

import { clsx } from "clsx";
import Link from "next/link";
import { objectHref } from "#components/shell/hrefs.ts";
import { formatCount } from "#components/ui/format-count.ts";
import { formatDuration } from "#components/ui/format-duration.ts";
import { Hint } from "#components/ui/hint.tsx";
import { useNow } from "#components/ui/time.tsx";
import type { ObjectTotal as Total } from "#lib/contract/definition/crd.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

interface Props {
  cluster: string;
  crd: string;
  object: { namespace: string; name: string };
  /** The version that it is shown at; the storage version when left out. */
  version?: string;
  className?: string;
}

/** An object's name, which leads to its page. */
export function ObjectLink({ cluster, crd, object, version, className }: Props) {
  return (
    <Link
      href={objectHref(cluster, crd, object, version)}
      prefetch={false}
      className={clsx(
        "font-mono underline decoration-line-strong underline-offset-2 [overflow-wrap:anywhere] hover:decoration-ink",
        className,
      )}
    >
      {objectName(object)}
    </Link>
  );
}

/** An object's name, with its namespace where it has one. */
export function objectName({ namespace, name }: { namespace: string; name: string }): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** A total looks out of date when it was seen longer ago than this. */
const OLD_AFTER_MS = 10 * 60_000;

/** How many objects there are, with how that is known. */
export function ObjectTotal({ objects }: { objects: Total }) {
  const now = useNow(60_000, serverNow);
  const ageMs = objects.asOf === null ? null : now - Date.parse(objects.asOf);
  const old = objects.total !== null && ageMs !== null && ageMs > OLD_AFTER_MS;
  return (
    <Hint text={<TotalBasis objects={objects} />} className={clsx("text-right tabular-nums", textColour(objects))}>
      {totalText(objects)}
      {old ? <span className="block text-[11px] leading-3 text-ink-faint">{formatDuration(ageMs)} ago</span> : null}
    </Hint>
  );
}

/** 0, approximate, unknown, denied and failed are different things and read differently. */
export function totalText(objects: Total): string {
  switch (objects.basis) {
    case "list":
      return objects.total === null ? "unknown" : formatCount(objects.total);
    case "metrics":
      return objects.total === null ? "unknown" : `≈ ${formatCount(objects.total)}`;
    case "denied":
      return "denied";
    case "failed":
      return "failed";
    case "unknown":
      return "unknown";
    default:
      return objects.basis satisfies never;
  }
}

function textColour(objects: Total): string {
  if (objects.basis === "failed") return "text-blocked";
  if (objects.basis === "denied") return "text-warning";
  return objects.total === null ? "text-ink-faint italic" : "";
}

function TotalBasis({ objects }: { objects: Total }) {
  return (
    <span className="flex flex-col gap-1">
      <span>{basisText(objects)}</span>
      {objects.asOf === null ? null : (
        <span className="text-ink-soft">Seen {formatDuration(serverNow() - Date.parse(objects.asOf))} ago.</span>
      )}
      {objects.message ? (
        <span dir="auto" className="font-mono [overflow-wrap:anywhere] text-ink-soft">
          {objects.message}
        </span>
      ) : null}
    </span>
  );
}

function basisText(objects: Total): string {
  switch (objects.basis) {
    case "list":
      return "Counted from a list of the objects.";
    case "metrics":
      return "Approximate: from the API server's metrics, which lag by minutes.";
    case "denied":
      return "The cluster does not let you list these objects. Ask for a role with the verb list on them.";
    case "failed":
      return "Listing these objects failed.";
    case "unknown":
      return objects.message ? "They can't be counted." : "Not counted yet.";
    default:
      return objects.basis satisfies never;
  }
}
